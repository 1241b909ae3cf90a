package io.jrdma.ib;

/**
 * How many PSNs a queue pair may have on the way, so that many senders and small socket buffers do not drown each other: slow start,
 * then one packet more a window, and half as many after a loss, at most once a window. Reads count with the packets of their responses.
 */
final class CongestionWindow {
    /** Packets at the start. */
    static final int INITIAL = 16;
    /** Packets that it never falls below. */
    static final int MIN = 2;
    /** Packets that it never passes, whatever the socket holds. */
    static final int MAX = 4096;

    private int window = INITIAL;
    private int threshold = MAX;
    private int max = MAX;
    private int credit;

    /** The end of the window in which it was made smaller last. */
    private long recoverPsn;

    /**
     * As at the start.
     *
     * @param maxPackets packets that the receiving socket is taken to hold, half of it left to others
     */
    void begin(int maxPackets, long firstPsn) {
        max = Math.clamp(maxPackets, INITIAL, MAX);
        window = INITIAL;
        threshold = max;
        credit = 0;
        recoverPsn = firstPsn;
    }

    /** Packets that may be on the way. */
    int packets() {
        return window;
    }

    /**
     * Packets were acknowledged.
     *
     * @param onTheWay how many were on the way before
     */
    void onAcknowledged(long packets, long onTheWay) {
        if (window == max || onTheWay < window / 2) {
            return; // an application that sends little proves nothing about the path
        }
        if (window < threshold) {
            window = (int) Math.min(max, window + packets);
            return;
        }
        credit += (int) packets;
        if (credit >= window) {
            credit -= window;
            window++;
        }
    }

    /** A packet was lost. */
    void onLoss(long unackedPsn, long sentPsn) {
        if (unackedPsn < recoverPsn) {
            return; // of the window that was made smaller already
        }
        recoverPsn = sentPsn;
        threshold = Math.max(MIN, window / 2);
        window = threshold;
        credit = 0;
    }

    /** A switch on the way is congested (annex A17 of IBTA volume 1: congestion notification). */
    void onNotification(long unackedPsn, long sentPsn) {
        onLoss(unackedPsn, sentPsn);
    }

    /** Nothing came for the queue pair's whole time limit: nothing is known of the path any more. */
    void onSilence(long sentPsn) {
        threshold = Math.max(MIN, window / 2);
        window = Math.min(window, INITIAL / 4);
        credit = 0;
        recoverPsn = sentPsn;
    }
}
