package io.jrdma.ib;

import org.jspecify.annotations.Nullable;

/** Queue pair number to endpoint, without boxing: open addressing with linear probing. */
final class EndpointTable {
    private static final int SPREAD = 0x9E37_79B9;

    private @Nullable IbEndpoint[] slots = new IbEndpoint[16];
    private int size;

    /** Endpoints in the table. */
    int size() {
        return size;
    }

    /** The endpoint of that number, or null. */
    @Nullable
    IbEndpoint find(int qpNum) {
        for (int at = home(qpNum); ; at = at + 1 & slots.length - 1) {
            IbEndpoint endpoint = slots[at];
            if (endpoint == null || endpoint.qpNum == qpNum) {
                return endpoint;
            }
        }
    }

    /** Adds an endpoint whose number none has. */
    void add(IbEndpoint endpoint) {
        if (2 * (size + 1) > slots.length) {
            @Nullable IbEndpoint[] old = slots;
            slots = new IbEndpoint[2 * old.length];
            for (IbEndpoint moved : old) {
                if (moved != null) {
                    place(moved);
                }
            }
        }
        place(endpoint);
        size++;
    }

    private void place(IbEndpoint endpoint) {
        int at = home(endpoint.qpNum);
        while (slots[at] != null) {
            at = at + 1 & slots.length - 1;
        }
        slots[at] = endpoint;
    }

    /** Takes an endpoint out, if it is in. */
    void remove(IbEndpoint endpoint) {
        int at = home(endpoint.qpNum);
        for (IbEndpoint there = slots[at]; ; there = slots[at]) {
            if (there == null) {
                return;
            }
            if (there.qpNum == endpoint.qpNum) {
                break;
            }
            at = at + 1 & slots.length - 1;
        }
        slots[at] = null;
        size--;
        // those behind may have been pushed on by the one that is gone
        for (int next = at + 1 & slots.length - 1; ; next = next + 1 & slots.length - 1) {
            IbEndpoint moved = slots[next];
            if (moved == null) {
                return;
            }
            slots[next] = null;
            place(moved);
        }
    }

    /** Slots, of which many are empty; to walk over all endpoints. */
    int slots() {
        return slots.length;
    }

    /** What stands in a slot, or null. */
    @Nullable
    IbEndpoint at(int slot) {
        return slots[slot];
    }

    private int home(int qpNum) {
        return (qpNum * SPREAD) >>> Integer.numberOfLeadingZeros(slots.length - 1);
    }
}
