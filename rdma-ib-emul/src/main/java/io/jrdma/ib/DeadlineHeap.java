package io.jrdma.ib;

import io.jrdma.verbs.spi.Engine;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The deadlines of all endpoints, the earliest on top. Allocates only in {@link #reserve}. */
final class DeadlineHeap {
    private @Nullable IbEndpoint[] heap = new IbEndpoint[16];
    private int size;

    /** Makes room for so many endpoints. */
    void reserve(int endpoints) {
        if (endpoints > heap.length) {
            heap = Arrays.copyOf(heap, Integer.highestOneBit(endpoints - 1) << 1);
        }
    }

    /** The earliest deadline, or {@link Engine#NO_DEADLINE}. */
    long earliestNs() {
        IbEndpoint top = heap[0];
        return top == null ? Engine.NO_DEADLINE : top.deadlineNs;
    }

    /** Whose deadline is the earliest, or null. */
    @Nullable
    IbEndpoint first() {
        return heap[0];
    }

    /** Gives an endpoint another deadline, {@link Engine#NO_DEADLINE} to take it out. */
    void update(IbEndpoint endpoint, long deadlineNs) {
        if (deadlineNs == endpoint.deadlineNs) {
            return;
        }
        if (deadlineNs == Engine.NO_DEADLINE) {
            remove(endpoint);
            return;
        }
        endpoint.deadlineNs = deadlineNs;
        if (endpoint.heapIndex < 0) {
            place(endpoint, size++);
        }
        down(endpoint, up(endpoint, endpoint.heapIndex));
    }

    private void remove(IbEndpoint endpoint) {
        int hole = endpoint.heapIndex;
        endpoint.heapIndex = -1;
        endpoint.deadlineNs = Engine.NO_DEADLINE;
        IbEndpoint last = heap[--size];
        heap[size] = null;
        if (last != null && hole < size) {
            place(last, hole);
            down(last, up(last, hole));
        }
    }

    private int up(IbEndpoint endpoint, int from) {
        int at = from;
        while (at > 0) {
            int parent = (at - 1) >>> 1;
            IbEndpoint above = heap[parent];
            if (above == null || above.deadlineNs - endpoint.deadlineNs <= 0) {
                break;
            }
            place(above, at);
            at = parent;
        }
        place(endpoint, at);
        return at;
    }

    private void down(IbEndpoint endpoint, int from) {
        int at = from;
        for (int child = 2 * at + 1; child < size; child = 2 * at + 1) {
            IbEndpoint least = heap[child];
            IbEndpoint right = child + 1 < size ? heap[child + 1] : null;
            if (right != null && least != null && right.deadlineNs - least.deadlineNs < 0) {
                least = right;
                child++;
            }
            if (least == null || least.deadlineNs - endpoint.deadlineNs >= 0) {
                break;
            }
            place(least, at);
            at = child;
        }
        place(endpoint, at);
    }

    private void place(IbEndpoint endpoint, int at) {
        heap[at] = endpoint;
        endpoint.heapIndex = at;
    }
}
