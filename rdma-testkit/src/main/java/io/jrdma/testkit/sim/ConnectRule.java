package io.jrdma.testkit.sim;

import java.net.InetSocketAddress;

/** Decides what becomes of each attempt to connect. */
@FunctionalInterface
public interface ConnectRule {
    /** What becomes of an attempt. */
    enum Outcome {
        /** What the other side makes of it: refused if nobody listens there. */
        NORMAL,
        /** Refused by the peer's system. */
        REFUSED,
        /** No route. */
        UNREACHABLE,
        /** No answer. */
        TIMEOUT
    }

    /**
     * The outcome.
     *
     * @param from the connecting host
     * @param to where to
     * @param connection the attempt's number, from 0
     */
    Outcome outcome(SimHost from, InetSocketAddress to, int connection);
}
