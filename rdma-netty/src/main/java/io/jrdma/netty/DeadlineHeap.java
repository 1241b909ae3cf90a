package io.jrdma.netty;

import io.jrdma.verbs.spi.Engine;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The deadlines of everything on a loop, earliest first: a binary heap whose members know their places. No allocation but to grow. */
final class DeadlineHeap {
    private @Nullable Hosted[] heap = new Hosted[16];
    private int size;

    /** When the first one is due; {@link Engine#NO_DEADLINE} if there is none. */
    long earliestNs() {
        Hosted first = heap[0];
        return first == null ? Engine.NO_DEADLINE : first.deadlineNs;
    }

    int size() {
        return size;
    }

    /** Sets, moves or (with {@link Engine#NO_DEADLINE}) takes away a member's deadline. */
    void set(Hosted member, long deadlineNs) {
        if (member.deadlineNs == deadlineNs) {
            return;
        }
        member.deadlineNs = deadlineNs;
        if (deadlineNs == Engine.NO_DEADLINE) {
            remove(member);
        } else if (member.heapIndex < 0) {
            if (size == heap.length) {
                heap = Arrays.copyOf(heap, 2 * size);
            }
            place(member, size++);
            up(member);
        } else {
            up(member);
            down(member);
        }
    }

    /** Takes the first one out if it is due; its deadline is cleared. */
    @Nullable
    Hosted pollDue(long nowNs) {
        Hosted first = heap[0];
        if (first == null || first.deadlineNs - nowNs > 0) {
            return null;
        }
        set(first, Engine.NO_DEADLINE);
        return first;
    }

    @SuppressWarnings("ReferenceEquality") // it is this very one
    private void remove(Hosted member) {
        int index = member.heapIndex;
        member.heapIndex = -1;
        Hosted last = heap[--size];
        heap[size] = null;
        if (last != null && last != member) {
            place(last, index);
            up(last);
            down(last);
        }
    }

    private void up(Hosted member) {
        while (member.heapIndex > 0) {
            Hosted parent = heap[(member.heapIndex - 1) / 2];
            if (parent == null || !isEarlier(member, parent)) {
                return;
            }
            swap(member, parent);
        }
    }

    private void down(Hosted member) {
        while (true) {
            Hosted earlier = at(2 * member.heapIndex + 1);
            Hosted other = at(2 * member.heapIndex + 2);
            if (other != null && earlier != null && isEarlier(other, earlier)) {
                earlier = other;
            }
            if (earlier == null || !isEarlier(earlier, member)) {
                return;
            }
            swap(earlier, member);
        }
    }

    private @Nullable Hosted at(int index) {
        return index < size ? heap[index] : null;
    }

    private static boolean isEarlier(Hosted one, Hosted other) {
        return one.deadlineNs - other.deadlineNs < 0;
    }

    private void swap(Hosted one, Hosted other) {
        int index = one.heapIndex;
        place(one, other.heapIndex);
        place(other, index);
    }

    private void place(Hosted member, int index) {
        heap[index] = member;
        member.heapIndex = index;
    }
}
