package io.jrdma.verbs;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * A right on a memory region; bit values as in {@code enum ibv_access_flags}, but for {@link #REMOTE_INVALIDATE}. Local read is always
 * allowed.
 */
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
    MW_BIND(16),
    /**
     * A peer's Send with Invalidate may make the region's key unusable. In {@code verbs.h} that is no flag but a matter of how memory was
     * registered: what {@code ibv_reg_mr} made is safe from peers, as a region without this right is here. Of no meaning among the access
     * flags of a queue pair.
     */
    REMOTE_INVALIDATE(1 << 30);

    private final int bit;

    Access(int bit) {
        this.bit = bit;
    }

    /** The flag's bit, as in {@code verbs.h} if it is one there. */
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
            throw new IllegalArgumentException("access mask 0x%x has unknown bits 0x%x; known bits are 0x%x"
                    .formatted(mask, left, mask(EnumSet.allOf(Access.class))));
        }
        return Collections.unmodifiableSet(rights);
    }
}
