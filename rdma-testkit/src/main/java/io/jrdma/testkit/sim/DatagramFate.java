package io.jrdma.testkit.sim;

/**
 * What becomes of a datagram by the word of a {@link DatagramRule}.
 *
 * @param kind what
 * @param number nanoseconds of {@link Kind#DELAY}, or the bit of {@link Kind#FLIP}, counted from the highest of the first byte behind the
 *     UDP header
 */
public record DatagramFate(Kind kind, long number) {
    /** Kinds of fates. */
    public enum Kind {
        ORDINARY,
        SPARED,
        DROP,
        DUPLICATE,
        CORRUPT,
        FLIP,
        DELAY,
        MARK
    }

    /** What the {@link DatagramOptions} say. */
    public static final DatagramFate ORDINARY = new DatagramFate(Kind.ORDINARY, 0);
    /** No loss, duplicate, reordering or corruption by chance. */
    public static final DatagramFate SPARED = new DatagramFate(Kind.SPARED, 0);
    /** It vanishes. */
    public static final DatagramFate DROP = new DatagramFate(Kind.DROP, 0);
    /** It arrives twice. */
    public static final DatagramFate DUPLICATE = new DatagramFate(Kind.DUPLICATE, 0);
    /** One bit of it is flipped. */
    public static final DatagramFate CORRUPT = new DatagramFate(Kind.CORRUPT, 0);
    /** It gets the ECN mark. */
    public static final DatagramFate MARK = new DatagramFate(Kind.MARK, 0);

    /** That bit of it is flipped, counted from the highest of the first byte of the BTH; one that it does not have is none. */
    public static DatagramFate flip(int bit) {
        return new DatagramFate(Kind.FLIP, bit);
    }

    /** It arrives so much later, and later ones overtake it. */
    public static DatagramFate delay(long ns) {
        return new DatagramFate(Kind.DELAY, ns);
    }
}
