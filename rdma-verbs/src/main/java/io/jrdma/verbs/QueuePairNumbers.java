package io.jrdma.verbs;

/**
 * The numbers of a device's queue pairs, in an order that the seed alone decides: who has seen some of them cannot tell the others, and
 * none comes again before all of them have, so that late packets find nobody. Numbers 0 and 1 are the management queue pairs', 0xFFFFFF
 * stands for multicast groups (IBTA volume 1, 3.5.3 and 10.5.1). One thread at a time.
 */
final class QueuePairNumbers {
    private static final int MAX = 0xFF_FFFF;
    private static final int HALF_BITS = 12;
    private static final int HALF = (1 << HALF_BITS) - 1;
    private static final int ROUNDS = 4;

    private final long seed;
    private int count;

    QueuePairNumbers(long seed) {
        this.seed = seed;
    }

    /** 2 to 0xFFFFFE. */
    int next() {
        int number;
        do {
            number = shuffle(count++ & MAX);
        } while (number < 2 || number == MAX);
        return number;
    }

    /** A Feistel network, and so a permutation of the numbers of 24 bits. */
    private int shuffle(int value) {
        int left = value >>> HALF_BITS;
        int right = value & HALF;
        for (int round = 0; round < ROUNDS; round++) {
            int next = left ^ hash(right, round);
            left = right;
            right = next;
        }
        return (left << HALF_BITS) | right;
    }

    private int hash(int half, int round) {
        long mixed = (seed ^ ((long) half << 8) ^ round) * 0x9E37_79B9_7F4A_7C15L;
        mixed = (mixed ^ (mixed >>> 32)) * 0xD6E8_FEB8_6659_FD93L;
        return (int) (mixed >>> 40) & HALF;
    }
}
