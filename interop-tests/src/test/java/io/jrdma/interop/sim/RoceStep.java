package io.jrdma.interop.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * One step of a program of work requests over RoCE.
 *
 * @param kind what to do
 * @param side which of the two ends does it, 0 or 1
 * @param queuePair on which connection, from 0
 * @param bytes payload, 0 or more; of no meaning for atomics
 * @param elements pieces of the scatter/gather list that the payload is in
 * @param signaled whether it completes on success too
 * @param inline whether the payload is copied while posting, if it is short enough
 * @param fenced whether it waits for earlier Reads and atomics
 * @param receiveLateNs how much later than the request its receive is posted; 0 for before
 * @param pauseNs time that passes before the next step
 */
record RoceStep(
        Kind kind,
        int side,
        int queuePair,
        int bytes,
        int elements,
        boolean signaled,
        boolean inline,
        boolean fenced,
        long receiveLateNs,
        long pauseNs) {
    /** Kinds of work. */
    enum Kind {
        SEND,
        SEND_IMM,
        WRITE,
        WRITE_IMM,
        READ,
        FETCH_ADD,
        COMPARE_SWAP
    }

    private static final Kind[] KINDS = Kind.values();
    private static final int[] SIZES = {
        0, 1, 2, 3, 4, 63, 64, 65, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 2048, 4095, 4096, 4097, 8192
    };

    /**
     * A program by chance.
     *
     * @param queuePairs connections
     * @param steps how many steps
     * @param maxBytes the longest payload
     * @param late whether receives may be posted late
     */
    static List<RoceStep> program(SplittableRandom random, int queuePairs, int steps, int maxBytes, boolean late) {
        List<RoceStep> program = new ArrayList<>();
        for (int i = 0; i < steps; i++) {
            int bytes = random.nextInt(3) > 0 ? SIZES[random.nextInt(SIZES.length)] : random.nextInt(maxBytes + 1);
            program.add(new RoceStep(
                    KINDS[random.nextInt(KINDS.length)],
                    random.nextInt(2),
                    random.nextInt(queuePairs),
                    Math.min(bytes, maxBytes),
                    random.nextInt(1, 5),
                    random.nextInt(4) != 0,
                    random.nextInt(4) == 0,
                    random.nextInt(8) == 0,
                    late && random.nextInt(4) == 0 ? random.nextLong(1, 3_000_000) : 0,
                    random.nextBoolean() ? 0 : random.nextLong(200_000)));
        }
        return program;
    }

    /** The work that proves that everything before it is done. */
    static RoceStep last(int side, int queuePair) {
        return new RoceStep(Kind.SEND, side, queuePair, 1, 1, true, false, true, 0, 0);
    }

    boolean isAtomic() {
        return kind == Kind.FETCH_ADD || kind == Kind.COMPARE_SWAP;
    }

    boolean takesReceive() {
        return kind == Kind.SEND || kind == Kind.SEND_IMM || kind == Kind.WRITE_IMM;
    }
}
