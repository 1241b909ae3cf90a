package io.jrdma.cm.ib;

import io.jrdma.verbs.IbCmOptions;

/** Times of the messages: exponents of the wire as nanoseconds, in Linux's approximation of 4.096 us times 2^n as 2^(n-8) ms. */
final class CmTimes {
    /** ACK delay of this side's channel adapter as an exponent; that of rxe. */
    static final int LOCAL_ACK_DELAY = 15;

    /** The longest time that a peer is granted: that of exponent 24, 65 s. */
    private static final int MAX_EXPONENT = 24;

    private static final long MS = 1_000_000;
    private static final long MIN_REPLY_NS = 500 * MS;
    private static final int MAX_REPLY_RETRIES = 7;

    private CmTimes() {}

    /** The time of an exponent, 1 ms at least. */
    static long ns(int exponent) {
        return exponent <= 8 ? MS : MS << (exponent - 8);
    }

    /** The time of an exponent that a peer names, 65 s at most. */
    static long longNs(int exponent) {
        return ns(Math.min(exponent, MAX_EXPONENT));
    }

    /**
     * After how long a REP is sent again to a peer that names that exponent: half a second to 4.3 s. The sender of a REQ may not have the
     * address that he names, and shall neither have another host flooded nor a connection kept waiting for minutes.
     */
    static long replyNs(int exponent) {
        return Math.clamp(ns(exponent), MIN_REPLY_NS, ns(20));
    }

    /** How long an application may take for its answer before the peer, which names that exponent for it, is asked for more: half of it. */
    static long patienceNs(int exponent) {
        return longNs(exponent) / 2;
    }

    /** How often a REP is sent again to a peer that allows so many times. */
    static int replyRetries(int maxCmRetries) {
        return Math.min(maxCmRetries, MAX_REPLY_RETRIES);
    }

    /** After how long a REQ is sent again: there, an answer, and back. */
    static long requestNs(IbCmOptions options) {
        return 2 * ns(options.packetLifetime()) + ns(options.responseTimeout());
    }

    /** How long an answer to a request is remembered: two of the times after which this side would repeat a request. */
    static long answerKeptNs() {
        return 2 * requestNs(IbCmOptions.RECOMMENDED);
    }

    /** How long a peer that sent an MRA may take, on a path with that ACK timeout. */
    static long serviceNs(int serviceTimeout, int ackTimeout) {
        return longNs(serviceTimeout) + longNs(ackTimeout);
    }

    /**
     * The exponent of a queue pair's ACK timeout: there and back, and the peer's delay (IBTA volume 1, 12.7.34), rounded up as Linux does
     * it.
     *
     * @param ackDelay exponent of the peer's ACK delay
     */
    static int ackTimeout(int packetLifetime, int ackDelay) {
        int way = packetLifetime + 1;
        int sum = way >= ackDelay ? way + (ackDelay >= way - 1 ? 1 : 0) : ackDelay + (way >= ackDelay - 1 ? 1 : 0);
        return Math.min(sum, 31);
    }
}
