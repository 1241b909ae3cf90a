package io.jrdma.ib;

import io.jrdma.verbs.spi.Engine;

/**
 * Whether the peer of an idle connection is still there. A host that died, or lost its memory of the connection, says nothing by itself;
 * so after a long silence it is asked, by a request with a PSN that it is past: a responder acknowledges such a duplicate, and does
 * nothing else (IBTA volume 1, 9.7.5: duplicate requests). Needs nothing of the peer but that.
 */
final class KeepAlive {
    /** Times that the peer is asked before it is given up. */
    static final int QUESTIONS = 5;

    /** What is to be done. */
    enum Step {
        NOTHING,
        ASK,
        GIVE_UP
    }

    private final long peerTimeoutNs;
    private final long idleNs;
    private final long answerNs;
    private boolean watching;
    private long heardNs;
    private long deadlineNs;
    private int asked;

    /**
     * Does not watch yet.
     *
     * @param peerTimeoutNs longest silence; 0: never watches
     */
    KeepAlive(long peerTimeoutNs) {
        this.peerTimeoutNs = peerTimeoutNs;
        this.answerNs = peerTimeoutNs / (3 * QUESTIONS);
        this.idleNs = peerTimeoutNs - QUESTIONS * answerNs;
    }

    /** Watches from now on. */
    void start(long nowNs) {
        watching = peerTimeoutNs > 0;
        silentSince(nowNs);
    }

    /** Watches no more. */
    void stop() {
        watching = false;
    }

    /** Something came from the peer. */
    void onHeard(long nowNs) {
        heardNs = nowNs;
    }

    /** When to look, or {@link Engine#NO_DEADLINE}. What is heard meanwhile does not change it: that costs nothing for each packet. */
    long deadlineNs() {
        return watching ? deadlineNs : Engine.NO_DEADLINE;
    }

    /**
     * Looks, if it is time.
     *
     * @param busy whether the peer owes an answer anyway
     */
    Step look(boolean busy, long nowNs) {
        if (!watching || deadlineNs - nowNs > 0) {
            return Step.NOTHING;
        }
        if (busy) {
            silentSince(nowNs);
            return Step.NOTHING;
        }
        if (nowNs - heardNs < idleNs) {
            silentSince(heardNs);
            return Step.NOTHING;
        }
        if (asked == QUESTIONS) {
            return Step.GIVE_UP;
        }
        asked++;
        deadlineNs = nowNs + answerNs;
        return Step.ASK;
    }

    private void silentSince(long sinceNs) {
        heardNs = sinceNs;
        asked = 0;
        deadlineNs = sinceNs + idleNs;
    }

    /** What it comes to when the peer is given up, in words. */
    String surrender() {
        return "the peer was silent for " + peerTimeoutNs / 1_000_000_000 + " s, and did not answer when asked";
    }
}
