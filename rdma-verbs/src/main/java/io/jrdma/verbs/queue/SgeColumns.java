package io.jrdma.verbs.queue;

import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendWr;

/** The scatter/gather lists of a ring's slots, as columns. */
final class SgeColumns {
    private final int perSlot;
    private final int[] count;
    private final long[] address;
    private final long[] length;
    private final int[] key;

    SgeColumns(int slots, int perSlot) {
        this.perSlot = perSlot;
        this.count = new int[slots];
        this.address = new long[slots * perSlot];
        this.length = new long[slots * perSlot];
        this.key = new int[slots * perSlot];
    }

    int perSlot() {
        return perSlot;
    }

    void set(int slot, SendWr request) {
        int n = request.sgeCount();
        count[slot] = n;
        for (int i = 0, at = slot * perSlot; i < n; i++, at++) {
            address[at] = request.sgeAddress(i);
            length[at] = request.sgeLength(i);
            key[at] = request.sgeKey(i);
        }
    }

    void set(int slot, RecvWr request) {
        int n = request.sgeCount();
        count[slot] = n;
        for (int i = 0, at = slot * perSlot; i < n; i++, at++) {
            address[at] = request.sgeAddress(i);
            length[at] = request.sgeLength(i);
            key[at] = request.sgeKey(i);
        }
    }

    void clear(int slot) {
        count[slot] = 0;
    }

    int count(int slot) {
        return count[slot];
    }

    long address(int slot, int index) {
        return address[slot * perSlot + index];
    }

    long length(int slot, int index) {
        return length[slot * perSlot + index];
    }

    int key(int slot, int index) {
        return key[slot * perSlot + index];
    }

    long total(int slot) {
        long sum = 0;
        for (int i = 0; i < count[slot]; i++) {
            sum += length[slot * perSlot + i];
        }
        return sum;
    }
}
