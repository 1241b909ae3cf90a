package io.jrdma.verbs.memory;

import java.lang.foreign.MemorySegment;

/**
 * The one copy between memory of ours and memory of the application's, which may go away at any time: a closed arena, one that is
 * confined to another thread and a mapped file that was cut short are a fault, never a crash and never an exception. Allocates nothing
 * when it succeeds.
 */
public final class GuardedCopy {
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
                // safepoint
                // poll, outside this block. A native call has such a poll at its end.
                Thread.holdsLock(GuardedCopy.class);
            }
            return AccessFault.NONE;
        } catch (IllegalStateException | WrongThreadException | InternalError gone) {
            return AccessFault.MEMORY_GONE;
        }
    }
}
