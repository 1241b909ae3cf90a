package io.jrdma.wire.iwarp;

import io.jrdma.wire.Malformed;

/**
 * The error of a Terminate message: layer, error type and error code, packed into one {@code int} as
 * {@code layer << 12 | type << 8 | code} (RFC 5040 section 4.8, RFC 5041 section 7.2, RFC 5044 section 8, RFC 6581 section 8).
 *
 * <p>Any triple is a value; {@link #isKnown} tells those that a specification names. Where a whole error type has one meaning whatever
 * the code, the constant has code 0 and the other codes share its name.
 */
public final class TerminateCode {
    /** No Terminate belongs to it. */
    public static final int NONE = -1;

    /** Layer: RDMAP. */
    public static final int LAYER_RDMAP = 0;
    /** Layer: DDP. */
    public static final int LAYER_DDP = 1;
    /** Layer: the lower layer, MPA. */
    public static final int LAYER_MPA = 2;

    /** Error type of RDMAP and DDP: local catastrophic. */
    public static final int TYPE_LOCAL_CATASTROPHIC = 0;
    /** Error type of RDMAP: remote protection. */
    public static final int TYPE_REMOTE_PROTECTION = 1;
    /** Error type of RDMAP: remote operation. */
    public static final int TYPE_REMOTE_OPERATION = 2;
    /** Error type of DDP: tagged buffer. */
    public static final int TYPE_TAGGED = 1;
    /** Error type of DDP: untagged buffer. */
    public static final int TYPE_UNTAGGED = 2;
    /** Error type of MPA: the only one. */
    public static final int TYPE_MPA = 0;

    /** RDMAP: local catastrophic, any code. */
    public static final int RDMAP_LOCAL_CATASTROPHIC = 0x0000;
    /** RDMAP protection: invalid STag. */
    public static final int RDMAP_INVALID_STAG = 0x0100;
    /** RDMAP protection: base or bounds violation. */
    public static final int RDMAP_BASE_OR_BOUNDS = 0x0101;
    /** RDMAP protection: access rights violation. */
    public static final int RDMAP_ACCESS_RIGHTS = 0x0102;
    /** RDMAP protection: STag not associated with the stream. */
    public static final int RDMAP_STAG_NOT_ASSOCIATED = 0x0103;
    /** RDMAP protection: tagged offset wraps. */
    public static final int RDMAP_TO_WRAP = 0x0104;
    /** RDMAP protection: STag cannot be invalidated. */
    public static final int RDMAP_PROTECTION_CANNOT_INVALIDATE = 0x0109;
    /** RDMAP protection: unspecified. */
    public static final int RDMAP_PROTECTION_UNSPECIFIED = 0x01FF;
    /** RDMAP operation: invalid RDMAP version. */
    public static final int RDMAP_INVALID_VERSION = 0x0205;
    /** RDMAP operation: unexpected opcode. */
    public static final int RDMAP_UNEXPECTED_OPCODE = 0x0206;
    /** RDMAP operation: catastrophic, this stream. */
    public static final int RDMAP_CATASTROPHIC_STREAM = 0x0207;
    /** RDMAP operation: catastrophic, the whole device. */
    public static final int RDMAP_CATASTROPHIC_GLOBAL = 0x0208;
    /** RDMAP operation: STag cannot be invalidated. */
    public static final int RDMAP_CANNOT_INVALIDATE = 0x0209;
    /** RDMAP operation: unspecified. */
    public static final int RDMAP_OPERATION_UNSPECIFIED = 0x02FF;

    /** DDP: local catastrophic. */
    public static final int DDP_LOCAL_CATASTROPHIC = 0x1000;
    /** DDP tagged: invalid STag. */
    public static final int DDP_INVALID_STAG = 0x1100;
    /** DDP tagged: base or bounds violation. */
    public static final int DDP_BASE_OR_BOUNDS = 0x1101;
    /** DDP tagged: STag not associated with the stream. */
    public static final int DDP_STAG_NOT_ASSOCIATED = 0x1102;
    /** DDP tagged: tagged offset wraps. */
    public static final int DDP_TO_WRAP = 0x1103;
    /** DDP tagged: invalid DDP version. */
    public static final int DDP_TAGGED_INVALID_VERSION = 0x1104;
    /** DDP untagged: invalid queue number. */
    public static final int DDP_INVALID_QN = 0x1201;
    /** DDP untagged: invalid MSN, no buffer available. */
    public static final int DDP_MSN_NO_BUFFER = 0x1202;
    /** DDP untagged: invalid MSN, out of range. */
    public static final int DDP_MSN_RANGE = 0x1203;
    /** DDP untagged: invalid message offset. */
    public static final int DDP_INVALID_MO = 0x1204;
    /** DDP untagged: message too long for the buffer. */
    public static final int DDP_MESSAGE_TOO_LONG = 0x1205;
    /** DDP untagged: invalid DDP version. */
    public static final int DDP_UNTAGGED_INVALID_VERSION = 0x1206;

    /** MPA: TCP connection closed, terminated or lost; local only, there is no stream to send it on. */
    public static final int MPA_CONNECTION_LOST = 0x2001;
    /** MPA: CRC error. */
    public static final int MPA_CRC = 0x2002;
    /** MPA: marker and ULPDU_Length do not agree. */
    public static final int MPA_MARKER_OR_LENGTH = 0x2003;
    /** MPA: invalid Request or Reply frame; the connection is closed instead. */
    public static final int MPA_INVALID_STARTUP = 0x2004;
    /** MPA, enhanced set-up: local catastrophic. */
    public static final int MPA_LOCAL_CATASTROPHIC = 0x2005;
    /** MPA, enhanced set-up: insufficient IRD. */
    public static final int MPA_INSUFFICIENT_IRD = 0x2006;
    /** MPA, enhanced set-up: no ready-to-receive option in common. */
    public static final int MPA_NO_MATCHING_RTR = 0x2007;

    // [RFC5040-7.1-1] [RFC5041-7.2-1] [RFC6581-8-1] layer and type decide what a code means
    private static final Entry[] ENTRIES = {
        new Entry(RDMAP_LOCAL_CATASTROPHIC, "RDMAP_LOCAL_CATASTROPHIC", "the peer's RDMAP failed locally"),
        new Entry(RDMAP_INVALID_STAG, "RDMAP_INVALID_STAG", "a Read names an unknown or invalidated STag"),
        new Entry(RDMAP_BASE_OR_BOUNDS, "RDMAP_BASE_OR_BOUNDS", "a Read reaches outside the memory region"),
        new Entry(RDMAP_ACCESS_RIGHTS, "RDMAP_ACCESS_RIGHTS", "the memory region does not allow this access"),
        new Entry(
                RDMAP_STAG_NOT_ASSOCIATED, "RDMAP_STAG_NOT_ASSOCIATED", "the STag belongs to another stream or domain"),
        new Entry(RDMAP_TO_WRAP, "RDMAP_TO_WRAP", "tagged offset plus length passes 2^64"),
        new Entry(
                RDMAP_PROTECTION_CANNOT_INVALIDATE,
                "RDMAP_PROTECTION_CANNOT_INVALIDATE",
                "the STag may not be invalidated by this peer"),
        new Entry(RDMAP_PROTECTION_UNSPECIFIED, "RDMAP_PROTECTION_UNSPECIFIED", "unspecified protection error"),
        new Entry(RDMAP_INVALID_VERSION, "RDMAP_INVALID_VERSION", "wrong RDMAP version"),
        new Entry(RDMAP_UNEXPECTED_OPCODE, "RDMAP_UNEXPECTED_OPCODE", "unknown or unexpected RDMAP opcode"),
        new Entry(
                RDMAP_CATASTROPHIC_STREAM,
                "RDMAP_CATASTROPHIC_STREAM",
                "catastrophic error of this stream, such as more Reads than IRD"),
        new Entry(RDMAP_CATASTROPHIC_GLOBAL, "RDMAP_CATASTROPHIC_GLOBAL", "catastrophic error of the peer's device"),
        new Entry(RDMAP_CANNOT_INVALIDATE, "RDMAP_CANNOT_INVALIDATE", "the STag cannot be invalidated"),
        new Entry(RDMAP_OPERATION_UNSPECIFIED, "RDMAP_OPERATION_UNSPECIFIED", "unspecified operation error"),
        new Entry(DDP_LOCAL_CATASTROPHIC, "DDP_LOCAL_CATASTROPHIC", "the peer's DDP failed locally"),
        new Entry(DDP_INVALID_STAG, "DDP_INVALID_STAG", "a tagged message names an unknown or invalidated STag"),
        new Entry(DDP_BASE_OR_BOUNDS, "DDP_BASE_OR_BOUNDS", "a tagged message reaches outside the memory region"),
        new Entry(DDP_STAG_NOT_ASSOCIATED, "DDP_STAG_NOT_ASSOCIATED", "the STag belongs to another stream or domain"),
        new Entry(DDP_TO_WRAP, "DDP_TO_WRAP", "tagged offset plus length passes 2^64"),
        new Entry(DDP_TAGGED_INVALID_VERSION, "DDP_TAGGED_INVALID_VERSION", "wrong DDP version, tagged"),
        new Entry(DDP_INVALID_QN, "DDP_INVALID_QN", "no such DDP queue, or the wrong one for the message"),
        new Entry(DDP_MSN_NO_BUFFER, "DDP_MSN_NO_BUFFER", "no receive buffer for the message"),
        new Entry(DDP_MSN_RANGE, "DDP_MSN_RANGE", "message sequence number out of order"),
        new Entry(DDP_INVALID_MO, "DDP_INVALID_MO", "wrong message offset"),
        new Entry(DDP_MESSAGE_TOO_LONG, "DDP_MESSAGE_TOO_LONG", "the message is longer than its buffer"),
        new Entry(DDP_UNTAGGED_INVALID_VERSION, "DDP_UNTAGGED_INVALID_VERSION", "wrong DDP version, untagged"),
        new Entry(MPA_CONNECTION_LOST, "MPA_CONNECTION_LOST", "TCP connection closed or lost"),
        new Entry(MPA_CRC, "MPA_CRC", "wrong CRC"),
        new Entry(
                MPA_MARKER_OR_LENGTH,
                "MPA_MARKER_OR_LENGTH",
                "marker and FPDU length disagree, or the ULPDU is shorter than its headers"),
        new Entry(MPA_INVALID_STARTUP, "MPA_INVALID_STARTUP", "invalid MPA Request or Reply"),
        new Entry(MPA_LOCAL_CATASTROPHIC, "MPA_LOCAL_CATASTROPHIC", "MPA set-up failed locally"),
        new Entry(MPA_INSUFFICIENT_IRD, "MPA_INSUFFICIENT_IRD", "not enough inbound Read resources"),
        new Entry(MPA_NO_MATCHING_RTR, "MPA_NO_MATCHING_RTR", "no ready-to-receive option in common"),
    };

    private TerminateCode() {}

    /**
     * Packs a triple.
     *
     * @param layer 0..15
     * @param type 0..15
     * @param errorCode 0..255
     */
    public static int of(int layer, int type, int errorCode) {
        assert (layer & ~0xF) == 0 && (type & ~0xF) == 0 && (errorCode & ~0xFF) == 0;
        return (layer << 12) | (type << 8) | errorCode;
    }

    /** Layer, 0..15. */
    public static int layer(int code) {
        return (code >>> 12) & 0xF;
    }

    /** Error type, 0..15. */
    public static int type(int code) {
        return (code >>> 8) & 0xF;
    }

    /** Error code, 0..255. */
    public static int errorCode(int code) {
        return code & 0xFF;
    }

    /** Whether a specification names the triple. */
    public static boolean isKnown(int code) {
        return indexOf(code) >= 0;
    }

    /** The constant's name; {@code TERMINATE_l_t_cc} for a triple without one. */
    public static String name(int code) {
        int index = indexOf(code);
        return index >= 0
                ? ENTRIES[index].name
                : "TERMINATE_" + layer(code) + "_" + type(code) + "_" + Integer.toHexString(errorCode(code));
    }

    /** What it says, for a person. */
    public static String description(int code) {
        int index = indexOf(code);
        return index >= 0 ? ENTRIES[index].text : "no known error";
    }

    /** How people write it: {@code layer/type/code}, decimal and the code in hex. */
    public static String triple(int code) {
        return layer(code) + "/" + type(code) + "/" + Integer.toHexString(errorCode(code));
    }

    /** Whether a Terminate of this error carries the offending DDP header, where there is one. */
    public static boolean carriesDdpHeader(int code) {
        // [RFC5040-4.8-3] protection, operation and DDP errors show the header; local and lower-layer errors have none
        return layer(code) <= LAYER_DDP && type(code) != TYPE_LOCAL_CATASTROPHIC;
    }

    /** Whether a Terminate of this error, caused by an RDMA Read Request, carries that request's header as well. */
    public static boolean carriesReadRequest(int code) {
        // [RFC5040-4.8-4] remote protection errors of a Read Request show its RDMAP header
        return layer(code) == LAYER_RDMAP && type(code) == TYPE_REMOTE_PROTECTION;
    }

    /**
     * The Terminate that answers a segment or FPDU which a check rejected.
     *
     * @param malformed a {@link Malformed} code
     * @return a triple; {@link #MPA_INVALID_STARTUP}, which is not sent, for the start-up codes; {@link #NONE} for
     *     {@link Malformed#OK} and for numbers that are no code
     */
    public static int forMalformed(int malformed) {
        return switch (malformed) {
            case Malformed.MPA_KEY_INVALID,
                    Malformed.MPA_KEY_UNEXPECTED,
                    Malformed.MPA_REVISION_UNSUPPORTED,
                    Malformed.MPA_PRIVATE_DATA_TOO_LONG,
                    Malformed.MPA_ENHANCED_DATA_MISSING -> MPA_INVALID_STARTUP;
            case Malformed.MPA_CRC_MISMATCH -> MPA_CRC;
            // no document names the error of a ULPDU that ends inside its headers; Linux siw says this one
            case Malformed.MPA_MARKER_MISMATCH,
                    Malformed.MPA_ULPDU_TOO_SHORT,
                    Malformed.DDP_TAGGED_TOO_SHORT,
                    Malformed.DDP_UNTAGGED_TOO_SHORT,
                    Malformed.RDMAP_READ_REQUEST_TOO_SHORT,
                    Malformed.RDMAP_TERMINATE_TOO_SHORT,
                    Malformed.RDMAP_IMMEDIATE_TOO_SHORT,
                    Malformed.RDMAP_ATOMIC_REQUEST_TOO_SHORT,
                    Malformed.RDMAP_ATOMIC_RESPONSE_TOO_SHORT -> MPA_MARKER_OR_LENGTH;
            case Malformed.DDP_VERSION_TAGGED -> DDP_TAGGED_INVALID_VERSION;
            case Malformed.DDP_VERSION_UNTAGGED -> DDP_UNTAGGED_INVALID_VERSION;
            case Malformed.DDP_QN_INVALID -> DDP_INVALID_QN;
            case Malformed.DDP_MO_INVALID -> DDP_INVALID_MO;
            // the buffers of queues 1 to 3 hold exactly one header: whatever goes on behind it is too long for them
            case Malformed.DDP_LAST_MISSING,
                    Malformed.RDMAP_READ_REQUEST_TOO_LONG,
                    Malformed.RDMAP_IMMEDIATE_TOO_LONG,
                    Malformed.RDMAP_ATOMIC_REQUEST_TOO_LONG,
                    Malformed.RDMAP_ATOMIC_RESPONSE_TOO_LONG -> DDP_MESSAGE_TOO_LONG;
            case Malformed.RDMAP_VERSION -> RDMAP_INVALID_VERSION;
            case Malformed.RDMAP_OPCODE_UNKNOWN,
                    Malformed.RDMAP_OPCODE_UNSUPPORTED,
                    Malformed.RDMAP_TAGGED_EXPECTED,
                    Malformed.RDMAP_UNTAGGED_EXPECTED -> RDMAP_UNEXPECTED_OPCODE;
            default -> NONE;
        };
    }

    private static int indexOf(int code) {
        // an error type of catastrophic local errors defines no codes, so any code is that error
        boolean local = layer(code) <= LAYER_DDP && type(code) == TYPE_LOCAL_CATASTROPHIC && code >= 0;
        int wanted = local ? code & ~0xFF : code;
        for (int i = 0; i < ENTRIES.length; i++) {
            if (ENTRIES[i].code == wanted) {
                return i;
            }
        }
        return -1;
    }

    private record Entry(int code, String name, String text) {}
}
