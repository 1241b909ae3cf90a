package io.jrdma.verbs.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The one copy between memory of ours and memory of the application's, which may go away at any time: a closed arena, one that is
 * confined to another thread and a mapped file that was cut short are a fault, never a crash and never an exception. Allocates nothing
 * when it succeeds.
 */
public final class GuardedCopy {
    /** The 8 bytes of an atomic operation: a number of the host, not of the wire. */
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private GuardedCopy() {}

    /**
     * Copies.
     *
     * @param length bytes, 0 or more; both ranges lie inside their segments
     * @return {@link AccessFault#NONE} or {@link AccessFault#MEMORY_GONE}, when a part may have been copied
     */
    public static AccessFault copy(
            MemorySegment source, long sourceOffset, MemorySegment target, long targetOffset, long length) {
        return copy(source, sourceOffset, target, targetOffset, length, source.isMapped() || target.isMapped());
    }

    static AccessFault copy(
            MemorySegment source,
            long sourceOffset,
            MemorySegment target,
            long targetOffset,
            long length,
            boolean mapped) {
        try {
            MemorySegment.copy(source, sourceOffset, target, targetOffset, length);
            if (mapped) {
                // HotSpot raises the fault of a page that is gone asynchronously: compiled code throws it at a later
                // safepoint poll, outside this block. A native call has such a poll at its end.
                Thread.holdsLock(GuardedCopy.class);
            }
            return AccessFault.NONE;
        } catch (IllegalStateException | WrongThreadException | InternalError gone) {
            return AccessFault.MEMORY_GONE;
        }
    }

    /** Adds to the 8 bytes at an aligned offset in one step; the value before goes to {@code original[0]}. */
    static AccessFault fetchAndAdd(MemorySegment memory, long offset, long addend, long[] original, boolean mapped) {
        try {
            original[0] = (long) WORD.getAndAdd(memory, offset, addend);
            pollIf(mapped);
            return AccessFault.NONE;
        } catch (IllegalStateException | WrongThreadException | InternalError gone) {
            return AccessFault.MEMORY_GONE;
        }
    }

    /** Puts {@code swap} into the 8 bytes at an aligned offset if {@code compare} stands there; as {@link #fetchAndAdd}. */
    static AccessFault compareAndSwap(
            MemorySegment memory, long offset, long compare, long swap, long[] original, boolean mapped) {
        try {
            original[0] = (long) WORD.compareAndExchange(memory, offset, compare, swap);
            pollIf(mapped);
            return AccessFault.NONE;
        } catch (IllegalStateException | WrongThreadException | InternalError gone) {
            return AccessFault.MEMORY_GONE;
        }
    }

    private static void pollIf(boolean mapped) {
        if (mapped) {
            Thread.holdsLock(GuardedCopy.class); // as in copy
        }
    }
}
