package io.jrdma.iwarp.mpa;

import static io.jrdma.iwarp.mpa.MpaState.AWAIT_FIRST_FPDU;
import static io.jrdma.iwarp.mpa.MpaState.AWAIT_REPLY;
import static io.jrdma.iwarp.mpa.MpaState.AWAIT_REQUEST;
import static io.jrdma.iwarp.mpa.MpaState.DISAGREED;
import static io.jrdma.iwarp.mpa.MpaState.FAILED;
import static io.jrdma.iwarp.mpa.MpaState.FULL_OPERATION;
import static io.jrdma.iwarp.mpa.MpaState.INITIATOR_IDLE;
import static io.jrdma.iwarp.mpa.MpaState.REJECTED;
import static io.jrdma.iwarp.mpa.MpaState.REJECT_DUE;
import static io.jrdma.iwarp.mpa.MpaState.REPLY_DUE;
import static io.jrdma.iwarp.mpa.MpaState.REQUEST_DUE;
import static io.jrdma.iwarp.mpa.MpaState.REQUEST_RECEIVED;
import static io.jrdma.iwarp.mpa.MpaState.RESPONDER_IDLE;

import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The table of MPA's start-up: which event is legal in which state, and where it leads (RFC 5044 section 7.1.2, RFC 6581 section 5). */
public final class MpaTransitions {
    private static final Map<MpaState, Map<MpaEvent, MpaState>> TABLE = new EnumMap<>(MpaState.class);

    static {
        on(INITIATOR_IDLE, MpaEvent.OPENED, REQUEST_DUE);
        on(INITIATOR_IDLE, MpaEvent.STREAM_GONE, FAILED);

        // [RFC5044-7.1.2-1] the Request comes before everything else
        on(REQUEST_DUE, MpaEvent.FRAME_SENT, AWAIT_REPLY);
        // whatever arrives before the Request is out cannot be the answer to it
        on(REQUEST_DUE, MpaEvent.BAD_FRAME, FAILED);

        // [RFC5044-7.1.2-3] FPDUs only behind a good Reply
        on(AWAIT_REPLY, MpaEvent.GOOD_REPLY, FULL_OPERATION);
        on(AWAIT_REPLY, MpaEvent.USELESS_REPLY, DISAGREED);
        on(AWAIT_REPLY, MpaEvent.REJECT_REPLY, REJECTED);
        on(AWAIT_REPLY, MpaEvent.BAD_FRAME, FAILED);

        on(RESPONDER_IDLE, MpaEvent.OPENED, AWAIT_REQUEST);
        on(RESPONDER_IDLE, MpaEvent.STREAM_GONE, FAILED);

        // [RFC5044-7.1.2-2] the Request is validated before the Reply
        on(AWAIT_REQUEST, MpaEvent.GOOD_REQUEST, REQUEST_RECEIVED);
        on(AWAIT_REQUEST, MpaEvent.BAD_FRAME, FAILED);

        on(REQUEST_RECEIVED, MpaEvent.ACCEPT, REPLY_DUE);
        on(REQUEST_RECEIVED, MpaEvent.REJECT, REJECT_DUE);
        // the initiator went on without waiting for the Reply
        on(REQUEST_RECEIVED, MpaEvent.BAD_FRAME, FAILED);
        on(REPLY_DUE, MpaEvent.BAD_FRAME, FAILED);

        on(REPLY_DUE, MpaEvent.FRAME_SENT, AWAIT_FIRST_FPDU);
        on(REJECT_DUE, MpaEvent.FRAME_SENT, REJECTED);

        // [RFC5044-7.1.2-4] the responder sends behind the first FPDU that it received
        on(AWAIT_FIRST_FPDU, MpaEvent.FPDU, FULL_OPERATION);
        on(AWAIT_FIRST_FPDU, MpaEvent.GRACE_OVER, FULL_OPERATION);

        for (MpaState waiting : new MpaState[] {
            REQUEST_DUE, AWAIT_REPLY, AWAIT_REQUEST, REQUEST_RECEIVED, REPLY_DUE, REJECT_DUE, AWAIT_FIRST_FPDU
        }) {
            on(waiting, MpaEvent.STREAM_GONE, FAILED);
            // [RFC5044-7.1.2-8] [RFC5044-7.1.2-10] no state that waits for the peer lasts for ever
            on(waiting, MpaEvent.TIME_OVER, FAILED);
        }
        // here it is the own application that takes its time
        row(REQUEST_RECEIVED).remove(MpaEvent.TIME_OVER);
    }

    private MpaTransitions() {}

    private static Map<MpaEvent, MpaState> row(MpaState state) {
        return TABLE.computeIfAbsent(state, s -> new EnumMap<>(MpaEvent.class));
    }

    private static void on(MpaState state, MpaEvent event, MpaState next) {
        row(state).put(event, next);
    }

    /** Where the event leads, or null if it is not legal in that state. */
    public static @Nullable MpaState next(MpaState state, MpaEvent event) {
        return TABLE.getOrDefault(state, Map.of()).get(event);
    }

    /** The whole table as text: one line for each pair, {@code -} for what is not legal. */
    public static String describe() {
        StringBuilder text = new StringBuilder();
        for (MpaState state : MpaState.values()) {
            for (MpaEvent event : MpaEvent.values()) {
                MpaState next = next(state, event);
                text.append(state)
                        .append(" + ")
                        .append(event)
                        .append(" -> ")
                        .append(next == null ? "-" : next)
                        .append('\n');
            }
        }
        return text.toString();
    }
}
