package io.jrdma.cm.ib;

/** Who gets the requests on a service ID of datagram queue pairs. */
@FunctionalInterface
public interface SidrRequests {
    /** A request arrived; it stands until {@link SidrResponse#accept} or {@link SidrResponse#reject}. */
    void onRequest(SidrResponse request, byte[] privateData);
}
