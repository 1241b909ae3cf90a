package io.jrdma.iwarp.mpa;

import io.jrdma.verbs.MpaNegotiated;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.MpaOptions.ReadyToReceive;
import io.jrdma.wire.Malformed;
import io.jrdma.wire.iwarp.MpaStartup;
import io.jrdma.wire.iwarp.TerminateCode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The start-up phase of one stream, in either role: takes the peer's frame apart, makes the own one, and says what was agreed (RFC 5044
 * section 7.1, RFC 6581). {@link MpaTransitions} has the order of events; the owner reports those that do not come with bytes.
 */
public final class MpaNegotiation {
    /**
     * The largest PD_Length of a Reply that this side sends. The standard allows 512, but Linux siw as initiator crashes its kernel on a
     * longer Reply.
     */
    public static final int MAX_REPLY_PD_LENGTH = 256;

    private static final byte[] NONE = {};

    private final boolean initiator;
    private MpaOptions options;
    private final MemorySegment frame = MemorySegment.ofArray(new byte[MpaStartup.MAX_LENGTH]);
    private MpaState state;
    private int received;
    private int malformed = Malformed.OK;
    private String problem = "";
    private int terminateCode = TerminateCode.NONE;
    private int ird;
    private int ord;
    private byte[] privateData = NONE;
    private byte[] peerPrivateData = NONE;
    private boolean needsReads;
    private boolean accepted;

    // the Request as it came; responder
    private int requestRevision;
    private int requestFlags;
    private boolean requestEnhanced;
    private int requestControl;
    private int requestIrd;
    private int requestOrd;

    private @Nullable MpaNegotiated negotiated;
    private boolean crcInUse;
    private boolean markersSent;
    private int replyControl;

    private MpaNegotiation(MpaOptions options, boolean initiator) {
        this.options = options;
        this.initiator = initiator;
        state = initiator ? MpaState.INITIATOR_IDLE : MpaState.RESPONDER_IDLE;
    }

    /**
     * The initiator's side.
     *
     * @param ird Reads that this side serves, 0 to {@link MpaDepths#MAX}
     * @param ord Reads that this side wants to keep outstanding, 0 to {@link MpaDepths#MAX}
     * @param needsReads whether the connection is of no use if the peer serves no Reads
     * @param privateData at most {@link #maxRequestPrivateData} bytes
     */
    public static MpaNegotiation initiator(
            MpaOptions options, int ird, int ord, boolean needsReads, byte[] privateData) {
        MpaNegotiation mpa = new MpaNegotiation(options, true);
        mpa.needsReads = needsReads;
        mpa.ird = ird;
        mpa.ord = ord;
        mpa.privateData = privateData;
        return mpa;
    }

    /** The responder's side. */
    public static MpaNegotiation responder(MpaOptions options) {
        return new MpaNegotiation(options, false);
    }

    /** Private data that fit into a Request of that revision: 508 bytes beside the enhanced connection data, else 512. */
    public static int maxRequestPrivateData(int revision) {
        return MpaStartup.MAX_PD_LENGTH - (revision >= MpaStartup.REVISION_2 ? MpaStartup.ENHANCED_LENGTH : 0);
    }

    /** Private data that fit into the Reply to the Request that came: 252 bytes beside the enhanced connection data, else 256. */
    public int maxReplyPrivateData() {
        return MAX_REPLY_PD_LENGTH - (requestEnhanced ? MpaStartup.ENHANCED_LENGTH : 0);
    }

    /** The kinds of ready-to-receive message that an initiator with that ORD can send: a Read needs room for one. */
    public static Set<ReadyToReceive> sendable(MpaOptions options, int ord) {
        EnumSet<ReadyToReceive> kinds = EnumSet.noneOf(ReadyToReceive.class);
        kinds.addAll(options.readyToReceive());
        if (ord == 0) {
            kinds.remove(ReadyToReceive.READ);
        }
        return kinds;
    }

    /** The options in force. */
    public MpaOptions options() {
        return options;
    }

    /** Where it stands. */
    public MpaState state() {
        return state;
    }

    /** Whether this side is the initiator. */
    public boolean isInitiator() {
        return initiator;
    }

    /**
     * Moves on.
     *
     * @return whether the event was legal; if not, nothing was changed
     */
    public boolean on(MpaEvent event) {
        MpaState next = MpaTransitions.next(state, event);
        if (next == null) {
            return false;
        }
        state = next;
        return true;
    }

    /**
     * Takes start-up bytes until the frame is complete or wrong.
     *
     * @return bytes taken; those behind the frame are left
     */
    public int onBytes(MemorySegment segment, long offset, int length) {
        if (state != MpaState.AWAIT_REPLY && state != MpaState.AWAIT_REQUEST) {
            malformed = Malformed.MPA_KEY_UNEXPECTED;
            problem = "the peer sent bytes before this side's MPA frame";
            on(MpaEvent.BAD_FRAME);
            return length;
        }
        int kind = initiator ? MpaStartup.REPLY : MpaStartup.REQUEST;
        for (int taken = 0; taken < length; ) {
            frame.set(ValueLayout.JAVA_BYTE, received++, segment.get(ValueLayout.JAVA_BYTE, offset + taken++));
            // looking after each byte makes the result independent of how the stream was cut
            int result = MpaStartup.check(frame, 0, received, kind);
            if (result < 0) {
                malformed = -result;
                problem = Malformed.description(malformed);
                on(MpaEvent.BAD_FRAME);
            } else if (result != MpaStartup.NEED_MORE) {
                onFrame();
            }
            if (result != MpaStartup.NEED_MORE) {
                return taken;
            }
        }
        return length;
    }

    private void onFrame() {
        int at = MpaStartup.privateDataAt(frame, 0);
        peerPrivateData =
                frame.asSlice(at, MpaStartup.privateDataBytes(frame, 0)).toArray(ValueLayout.JAVA_BYTE);
        if (initiator) {
            onReply();
        } else {
            onRequest();
        }
    }

    private void onRequest() {
        requestRevision = MpaStartup.revision(frame, 0);
        requestFlags = MpaStartup.flags(frame, 0);
        requestEnhanced = MpaStartup.hasEnhanced(frame, 0);
        if (requestEnhanced) {
            requestControl = MpaStartup.controlFlags(frame, 0);
            requestIrd = MpaStartup.ird(frame, 0);
            requestOrd = MpaStartup.ord(frame, 0);
        }
        // [RFC5044-7.1.1-7] a revision that this side does not want to speak ends the connection
        if (requestRevision > options.revision()) {
            malformed = Malformed.MPA_REVISION_UNSUPPORTED;
            problem = "the peer asks for MPA revision " + requestRevision + ", this side takes up to "
                    + options.revision();
            on(MpaEvent.BAD_FRAME);
            return;
        }
        on(MpaEvent.GOOD_REQUEST);
    }

    private void onReply() {
        // [RFC5044-7.1.1-5]
        if (MpaStartup.isReject(frame, 0)) {
            on(MpaEvent.REJECT_REPLY);
            return;
        }
        int revision = MpaStartup.revision(frame, 0);
        boolean asked = options.revision() >= MpaStartup.REVISION_2;
        boolean enhanced = MpaStartup.hasEnhanced(frame, 0);
        // [RFC6581-10-1] enhanced is answered by enhanced, plain by plain
        if (asked != enhanced) {
            malformed = Malformed.MPA_REVISION_UNSUPPORTED;
            problem = asked
                    ? "the peer answered an enhanced MPA request with revision " + revision
                            + " and no enhanced data; connect to it with MpaOptions revision 1"
                    : "the peer answered a plain MPA request with enhanced data";
            on(MpaEvent.BAD_FRAME);
            return;
        }
        setFraming(MpaStartup.flags(frame, 0));
        ReadyToReceive readyToReceive = null;
        if (enhanced) {
            replyControl = MpaStartup.controlFlags(frame, 0);
            int wanted = ord;
            ord = MpaDepths.initiatorOrd(wanted, MpaStartup.ird(frame, 0));
            int serves = MpaDepths.initiatorIrd(ird, MpaStartup.ord(frame, 0));
            if (serves < 0) {
                useless(
                        TerminateCode.MPA_INSUFFICIENT_IRD,
                        "the peer wants " + MpaStartup.ord(frame, 0) + " Reads served at once, this side serves "
                                + MpaDepths.MAX);
                return;
            }
            ird = serves;
            if (needsReads && ord == 0) {
                useless(
                        TerminateCode.MPA_INSUFFICIENT_IRD,
                        "the peer serves no Reads, and completion REMOTE_ACKNOWLEDGED is made of them");
                return;
            }
            if (options.peerToPeer()) {
                readyToReceive = choose();
                if (readyToReceive == null) {
                    useless(
                            TerminateCode.MPA_NO_MATCHING_RTR,
                            "no kind of ready-to-receive message in common: this side sends "
                                    + sendable(options, wanted) + ", the peer takes "
                                    + kinds(isPeerToPeer(replyControl) ? replyControl : 0));
                    return;
                }
            }
        }
        agree(revision, enhanced, readyToReceive);
        on(MpaEvent.GOOD_REPLY);
    }

    private void useless(int code, String text) {
        terminateCode = code;
        problem = text;
        on(MpaEvent.USELESS_REPLY);
    }

    /** [RFC6581-9.2-2] The initiator picks one kind that both sides named; the cheapest first. */
    private @Nullable ReadyToReceive choose() {
        if (!isPeerToPeer(replyControl)) {
            return null;
        }
        Set<ReadyToReceive> common = kinds(replyControl);
        common.retainAll(sendable(options, ord));
        for (ReadyToReceive kind :
                new ReadyToReceive[] {ReadyToReceive.WRITE, ReadyToReceive.READ, ReadyToReceive.SEND}) {
            if (common.contains(kind)) {
                return kind;
            }
        }
        return null;
    }

    /**
     * The application of the responder accepts.
     *
     * @param newOptions in force from here on
     * @param ird Reads that this side serves, 0 to {@link MpaDepths#MAX}; raised to what the peer wants as far as that limit allows
     * @param ord Reads that this side wants to keep outstanding; lowered to what the peer serves
     * @param privateData at most {@link #maxReplyPrivateData} bytes
     * @return what is agreed now
     */
    public MpaNegotiated accept(MpaOptions newOptions, int ird, int ord, byte[] privateData) {
        options = newOptions;
        boolean peerToPeer = requestEnhanced && isPeerToPeer(requestControl);
        if (peerToPeer) {
            replyControl = MpaStartup.PEER_TO_PEER | receivable();
        }
        setDepths(ird, ord);
        this.privateData = privateData;
        accepted = true;
        setFraming(requestFlags);
        on(MpaEvent.ACCEPT);
        return agree(requestRevision, requestEnhanced, null);
    }

    private void setDepths(int wantedIrd, int wantedOrd) {
        ird = wantedIrd;
        ord = wantedOrd;
        if (requestEnhanced) {
            ord = effectiveOrd(wantedOrd);
            boolean byRead = (replyControl & MpaStartup.RTR_READ) != 0;
            ird = MpaDepths.responderIrd(wantedIrd, requestOrd, byRead);
        }
    }

    /** The ORD that {@link #accept} would agree on. */
    public int effectiveOrd(int wantedOrd) {
        return requestEnhanced ? MpaDepths.responderOrd(wantedOrd, requestIrd) : wantedOrd;
    }

    /** [RFC6581-9.2-1] The kinds that both sides know, or, if there is none, those that this side can receive. */
    private int receivable() {
        int own =
                bits(options.readyToReceive().isEmpty() ? EnumSet.of(ReadyToReceive.WRITE) : options.readyToReceive());
        int common = own & requestControl;
        return common == 0 ? own : common;
    }

    /** The application of the responder rejects; as {@link #accept}. */
    public void reject(byte[] privateData) {
        setDepths(0, 0);
        this.privateData = privateData;
        on(MpaEvent.REJECT);
    }

    private void setFraming(int peerFlags) {
        // [RFC5044-7.1.1-4] one side's wish is enough for CRCs
        crcInUse = options.crc() || (peerFlags & MpaStartup.CRC) != 0;
        // [RFC5044-4.3-3] [RFC5044-7.1.1-3] markers go to whoever asked for them
        markersSent = (peerFlags & MpaStartup.MARKERS) != 0;
    }

    /** Whether FPDUs carry a CRC; known once the peer's frame is. */
    public boolean crcInUse() {
        return crcInUse;
    }

    /** Whether this side inserts markers; known once the peer's frame is. */
    public boolean markersSent() {
        return markersSent;
    }

    private MpaNegotiated agree(int revision, boolean enhanced, @Nullable ReadyToReceive readyToReceive) {
        MpaNegotiated agreed = new MpaNegotiated(
                revision,
                enhanced,
                crcInUse,
                markersSent,
                options.markersWanted(),
                enhanced && isPeerToPeer(replyControl) && (!initiator || options.peerToPeer()),
                readyToReceive,
                ird,
                ord);
        negotiated = agreed;
        return agreed;
    }

    /** The kind of the ready-to-receive message that arrived, as the first FPDU showed it; responder. */
    public @Nullable MpaNegotiated readyToReceiveWas(ReadyToReceive kind) {
        return agree(requestRevision, requestEnhanced, kind);
    }

    /** Whether a first FPDU of that kind was agreed to be a ready-to-receive message; responder. */
    public boolean expects(ReadyToReceive kind) {
        return isPeerToPeer(replyControl) && kinds(replyControl).contains(kind);
    }

    /** Bytes of the frame that is due. */
    public int frameBytes() {
        boolean enhanced = initiator ? options.revision() >= MpaStartup.REVISION_2 : requestEnhanced;
        return MpaStartup.LENGTH + (enhanced ? MpaStartup.ENHANCED_LENGTH : 0) + privateData.length;
    }

    /** Writes the frame that is due; {@link MpaEvent#FRAME_SENT} is to be reported when it is on its way. */
    public void writeFrame(MemorySegment segment, long at) {
        int length = initiator ? writeRequest(segment, at) : writeReply(segment, at);
        MemorySegment.copy(privateData, 0, segment, ValueLayout.JAVA_BYTE, at + length, privateData.length);
    }

    private int writeRequest(MemorySegment segment, long at) {
        int flags = ownFlags(options.crc());
        if (options.revision() < MpaStartup.REVISION_2) {
            MpaStartup.put(segment, at, MpaStartup.REQUEST, flags, options.revision(), privateData.length);
            return MpaStartup.LENGTH;
        }
        // [RFC6581-9-3]
        int control = options.peerToPeer() ? MpaStartup.PEER_TO_PEER | bits(sendable(options, ord)) : 0;
        MpaStartup.putEnhanced(segment, at, MpaStartup.REQUEST, flags, control, ird, ord, privateData.length);
        return MpaStartup.LENGTH + MpaStartup.ENHANCED_LENGTH;
    }

    private int writeReply(MemorySegment segment, long at) {
        // Linux siw takes the Reply's C flag for the result, so it says what is in force, not what this side asks for
        boolean crc = options.crc() || (requestFlags & MpaStartup.CRC) != 0;
        int flags = ownFlags(crc) | (accepted ? 0 : MpaStartup.REJECT);
        if (!requestEnhanced) {
            MpaStartup.put(segment, at, MpaStartup.REPLY, flags, requestRevision, privateData.length);
            return MpaStartup.LENGTH;
        }
        // [RFC6581-6-2] the four bytes are in a reject as well: without them Linux siw reads memory that is not there
        MpaStartup.putEnhanced(
                segment,
                at,
                MpaStartup.REPLY,
                flags,
                replyControl,
                MpaDepths.answer(requestOrd, ird),
                MpaDepths.answer(requestIrd, ord),
                privateData.length);
        return MpaStartup.LENGTH + MpaStartup.ENHANCED_LENGTH;
    }

    private int ownFlags(boolean crc) {
        return (options.markersWanted() ? MpaStartup.MARKERS : 0) | (crc ? MpaStartup.CRC : 0);
    }

    /** What was agreed; null before that. */
    public @Nullable MpaNegotiated negotiated() {
        return negotiated;
    }

    /** The private data of the peer's frame. */
    public byte[] peerPrivateData() {
        return peerPrivateData;
    }

    /** Reads that the peer says it serves, as far as this side can use them; 0 without enhanced data. */
    public int peerIrd() {
        return MpaDepths.clamp(requestIrd);
    }

    /** Reads that the peer wants to keep outstanding, as far as this side can serve them; 0 without enhanced data. */
    public int peerOrd() {
        return MpaDepths.clamp(requestOrd);
    }

    /** Why it failed, for people. */
    public String problem() {
        return problem;
    }

    /** What is wrong with the peer's frame, or {@link Malformed#OK}. */
    public int malformed() {
        return malformed;
    }

    /** The Terminate that goes out in {@link MpaState#DISAGREED}. */
    public int terminateCode() {
        return terminateCode;
    }

    private static boolean isPeerToPeer(int control) {
        return (control & MpaStartup.PEER_TO_PEER) != 0;
    }

    private static int bits(Set<ReadyToReceive> kinds) {
        int bits = 0;
        for (ReadyToReceive kind : kinds) {
            bits |= bit(kind);
        }
        return bits;
    }

    private static int bit(ReadyToReceive kind) {
        return switch (kind) {
            case SEND -> MpaStartup.RTR_SEND;
            case WRITE -> MpaStartup.RTR_WRITE;
            case READ -> MpaStartup.RTR_READ;
        };
    }

    private static Set<ReadyToReceive> kinds(int control) {
        EnumSet<ReadyToReceive> kinds = EnumSet.noneOf(ReadyToReceive.class);
        for (ReadyToReceive kind : ReadyToReceive.values()) {
            if ((control & bit(kind)) != 0) {
                kinds.add(kind);
            }
        }
        return kinds;
    }
}
