package io.jrdma.cm.ib;

/** Somebody who listens for requests for a datagram queue pair. Loop only. */
final class SidrService {
    private final SidrRequests requests;
    private final int backlog;
    private int unanswered;

    /**
     * With nothing to answer yet.
     *
     * @param backlog requests that may be unanswered at once, 1 or more
     */
    SidrService(SidrRequests requests, int backlog) {
        this.requests = requests;
        this.backlog = backlog;
    }

    /** Whether there is room for another request; takes it. */
    boolean admit() {
        if (unanswered >= backlog) {
            return false;
        }
        unanswered++;
        return true;
    }

    void onRequest(SidrResponse request, byte[] privateData) {
        requests.onRequest(request, privateData);
    }

    /** One of the requests has its answer. */
    void answered() {
        unanswered--;
    }
}
