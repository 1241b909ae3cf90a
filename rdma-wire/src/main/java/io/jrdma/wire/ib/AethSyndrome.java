package io.jrdma.wire.ib;

/**
 * The syndrome byte of an AETH (IBTA volume 1, 9.7.5.1 and 9.7.5.2).
 *
 * <pre>
 * bit 7 reserved | bits 6:5 kind | bits 4:0 credit code of an ACK, timer code of an RNR NAK, NAK code of a NAK
 * </pre>
 *
 * <p>Any {@code int} may be asked about; bits above the seventh are ignored.
 */
public final class AethSyndrome {
    /** Kind: acknowledged; the value is a credit code. */
    public static final int KIND_ACK = 0;
    /** Kind: receiver not ready; the value is a timer code, see {@link RnrTimer}. */
    public static final int KIND_RNR_NAK = 1;
    /** Kind that no document gives a meaning. */
    public static final int KIND_RESERVED = 2;
    /** Kind: refused; the value is a NAK code, see {@link NakCode}. */
    public static final int KIND_NAK = 3;

    /** Credit code: no credits are given, the requester may send as it likes. */
    public static final int CREDITS_INVALID = 31;
    /** The syndrome of an ACK without credits. */
    public static final int ACK = CREDITS_INVALID;

    private static final int VALUE_MASK = 0x1F;
    private static final int KIND_SHIFT = 5;

    // [IBTA-9.7.5-2] two codes an octave: 2, 3, 4, 6, 8, 12 ...
    private static final int[] CREDITS = {
        0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096,
        6144, 8192, 12_288, 16_384, 24_576, 32_768
    };

    private AethSyndrome() {}

    /** One of the four kinds. */
    public static int kind(int syndrome) {
        // [IBTA-9.7.5-1] bits 6 and 5
        return (syndrome >>> KIND_SHIFT) & 3;
    }

    /** The five low bits: credit code, timer code or NAK code. */
    public static int value(int syndrome) {
        return syndrome & VALUE_MASK;
    }

    /** Whether it acknowledges, with credits or without. */
    public static boolean isAck(int syndrome) {
        return kind(syndrome) == KIND_ACK;
    }

    /** The syndrome of an ACK with a credit code, 0..31. */
    public static int ack(int creditCode) {
        assert creditCode >>> KIND_SHIFT == 0 : creditCode;
        return creditCode;
    }

    /** The syndrome of an RNR NAK with a timer code, 0..31. */
    public static int rnrNak(int timerCode) {
        assert timerCode >>> KIND_SHIFT == 0 : timerCode;
        return (KIND_RNR_NAK << KIND_SHIFT) | timerCode;
    }

    /** The syndrome of a NAK with a NAK code, 0..31. */
    public static int nak(int nakCode) {
        assert nakCode >>> KIND_SHIFT == 0 : nakCode;
        return (KIND_NAK << KIND_SHIFT) | nakCode;
    }

    /** How many requests beyond the AETH's MSN a credit code allows, 0..32768; -1 for {@link #CREDITS_INVALID} and what is no code. */
    public static int credits(int creditCode) {
        return creditCode >= 0 && creditCode < CREDITS.length ? CREDITS[creditCode] : -1;
    }

    /** The largest credit code, 0..30, that promises no more than {@code credits}, a number from 0 on. */
    public static int creditCode(int credits) {
        assert credits >= 0 : credits;
        int code = CREDITS.length - 1;
        while (CREDITS[code] > credits) {
            code--;
        }
        return code;
    }

    /** Text for a person. */
    public static String name(int syndrome) {
        int value = value(syndrome);
        return switch (kind(syndrome)) {
            case KIND_ACK -> value == CREDITS_INVALID ? "ACK" : "ACK credits " + credits(value);
            case KIND_RNR_NAK -> "RNR NAK " + RnrTimer.toNanos(value) / 1000 + " us";
            case KIND_NAK -> "NAK " + NakCode.name(value);
            default -> "reserved " + value;
        };
    }
}
