package io.jrdma.verbs.memory;

import io.jrdma.verbs.spi.Seeds;

/**
 * All 2^32 keys in an order that only the seed tells: hard to guess (RFC 5042 section 6.1.1), and none comes again before all others
 * were given. A Feistel network of four rounds over a counter; the round function is keyed by the seed.
 */
final class KeySequence {
    private static final int ROUNDS = 4;

    private final long seed;
    private int counter;

    KeySequence(long seed) {
        this.seed = seed;
    }

    int next() {
        int value = counter++;
        int left = value >>> 16;
        int right = value & 0xFFFF;
        for (int round = 0; round < ROUNDS; round++) {
            int mixed = left ^ (int) (Seeds.child(seed, "key", (long) round << 16 | right) & 0xFFFF);
            left = right;
            right = mixed;
        }
        return left << 16 | right;
    }
}
