package io.jrdma.ib;

import io.jrdma.wire.Psn;
import io.jrdma.wire.ib.AethSyndrome;

/**
 * End-to-end credits as the requester sees them (IBTA volume 1, 9.7.7.2): an ACK with a credit code says how many messages beyond its
 * MSN find a receive; a responder that gives none, as Linux rxe does, is not waited for.
 */
final class CreditLimit {
    private long started;
    private long limit = Long.MAX_VALUE;

    /** As at the start: no limit. */
    void reset() {
        started = 0;
        limit = Long.MAX_VALUE;
    }

    /** One more request message was begun. */
    void onStarted() {
        started++;
    }

    /** Whether one more message that takes a receive would find one, as far as is known. */
    boolean allowsOne() {
        return started < limit;
    }

    /** An AETH that acknowledges. */
    void onAcknowledged(int syndrome, int aethMsn) {
        // [IBTA-9.7.7-1] counted from the MSN that comes with them
        int credits = AethSyndrome.credits(AethSyndrome.value(syndrome));
        int ahead = Psn.diff(aethMsn, (int) started & Psn.MAX);
        limit = credits < 0 || ahead > 0 ? Long.MAX_VALUE : started + ahead + credits;
    }
}
