package io.jrdma.verbs;

import java.util.Arrays;

/** The scatter/gather list of a work request, in columns: it grows with the elements and keeps its room when it is cleared. */
final class SgeList {
    private int count;
    private long[] address = new long[1];
    private long[] length = new long[1];
    private int[] key = new int[1];

    int count() {
        return count;
    }

    long address(int index) {
        return address[index];
    }

    long length(int index) {
        return length[index];
    }

    int key(int index) {
        return key[index];
    }

    /** Bytes of all elements. */
    long total() {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += length[i];
        }
        return sum;
    }

    void add(long newAddress, long newLength, int newKey) {
        Sge.checkLength(newLength);
        if (count == address.length) {
            int larger = 2 * count;
            address = Arrays.copyOf(address, larger);
            length = Arrays.copyOf(length, larger);
            key = Arrays.copyOf(key, larger);
        }
        address[count] = newAddress;
        length[count] = newLength;
        key[count++] = newKey;
    }

    void clear() {
        count = 0;
    }
}
