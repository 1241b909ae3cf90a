package io.jrdma.cm.transport;

/** Who gets the requests of a {@link CmListener}. */
@FunctionalInterface
public interface CmRequests {
    /**
     * A request arrived; it stands until {@link CmConnection#accept}, {@link CmConnection#reject} or {@link CmConnection#destroy}.
     *
     * @param peerResponderResources Reads and atomics that the peer serves at once
     * @param peerInitiatorDepth Reads and atomics that the peer wants to keep outstanding
     */
    void onRequest(CmConnection request, byte[] privateData, int peerResponderResources, int peerInitiatorDepth);
}
