package io.jrdma.testkit.arb;

import java.util.SplittableRandom;

/**
 * One step of a program of work requests.
 *
 * @param kind what to do
 * @param side which of the two ends does it, 0 or 1
 * @param queuePair on which connection, from 0
 * @param bytes payload, 0 or more
 * @param elements pieces of the scatter/gather list that the payload is in, 1 to 4; a Read uses one
 * @param signaled whether it completes on success too
 * @param inline whether the payload is copied while posting, if it is short enough
 * @param fenced whether it waits for earlier Reads
 * @param pauseNs time that passes before the next step
 */
public record WorkStep(
        Kind kind,
        int side,
        int queuePair,
        int bytes,
        int elements,
        boolean signaled,
        boolean inline,
        boolean fenced,
        long pauseNs) {
    /** Kinds of work that every transport has. */
    public enum Kind {
        SEND,
        SEND_SOLICITED,
        WRITE,
        READ
    }

    private static final Kind[] KINDS = Kind.values();
    private static final int[] SIZES = {
        0, 1, 2, 3, 4, 63, 64, 65, 127, 128, 129, 511, 512, 513, 1440, 4096, 16_384, 20_000
    };

    /** A step by chance, among so many connections, of so many bytes at most. */
    public static WorkStep random(SplittableRandom random, int queuePairs, int maxBytes) {
        int bytes = random.nextBoolean() ? SIZES[random.nextInt(SIZES.length)] : random.nextInt(maxBytes + 1);
        return new WorkStep(
                KINDS[random.nextInt(KINDS.length)],
                random.nextInt(2),
                random.nextInt(queuePairs),
                Math.min(bytes, maxBytes),
                random.nextInt(1, 5),
                random.nextInt(4) != 0,
                random.nextInt(4) == 0,
                random.nextInt(8) == 0,
                random.nextBoolean() ? 0 : random.nextLong(200_000));
    }
}
