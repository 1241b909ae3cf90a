package io.jrdma.verbs;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** A right on a memory region; bit values as in {@code enum ibv_access_flags}. Local read is always allowed. */
public enum Access {
    /** Receives and RDMA Read responses of the own queue pairs may write here. */
    LOCAL_WRITE(1),
    /** A peer's RDMA Write may write here; requires {@link #LOCAL_WRITE}. */
    REMOTE_WRITE(2),
    /** A peer's RDMA Read may read here. */
    REMOTE_READ(4),
    /** A peer's atomic operation may work here; requires {@link #LOCAL_WRITE}. */
    REMOTE_ATOMIC(8),
    /** Memory windows may be bound to the region. */
    MW_BIND(16);

    private final int bit;

    Access(int bit) {
        this.bit = bit;
    }

    /** The flag's bit, as in {@code verbs.h}. */
    public int bit() {
        return bit;
    }

    /** The set as one mask of {@link #bit() bits}. */
    public static int mask(Set<Access> rights) {
        int mask = 0;
        for (Access right : rights) {
            mask |= right.bit;
        }
        return mask;
    }

    /**
     * The rights of a mask, in the order of the bits; unmodifiable.
     *
     * @throws IllegalArgumentException if the mask has a bit that no right has
     */
    public static Set<Access> ofMask(int mask) {
        EnumSet<Access> rights = EnumSet.noneOf(Access.class);
        int left = mask;
        for (Access right : values()) {
            if ((mask & right.bit) != 0) {
                rights.add(right);
                left &= ~right.bit;
            }
        }
        if (left != 0) {
            throw new IllegalArgumentException(
                    "access mask 0x%x has unknown bits 0x%x; known bits are 0x1f".formatted(mask, left));
        }
        return Collections.unmodifiableSet(rights);
    }
}
