package io.jrdma.cm;

import io.jrdma.cm.transport.CmConnectionEvents;
import io.jrdma.cm.transport.ConnectionTerms;

/** Turns what an id's connection reports into its states and events; loop. */
final class IdEvents implements CmConnectionEvents {
    private final RdmaCmId id;

    IdEvents(RdmaCmId id) {
        this.id = id;
    }

    @Override
    public void onEstablished(byte[] privateData, ConnectionTerms agreed) {
        id.advance(
                CmInput.CONNECTION_UP,
                () -> id.agreed(agreed),
                new RdmaCmEvent.Established(id, privateData, agreed.responderResources(), agreed.initiatorDepth()));
    }

    @Override
    public void onRejected(int status, byte[] privateData, String text) {
        failed(new RdmaCmEvent.Rejected(id, status, privateData, text));
    }

    @Override
    public void onUnreachable(int status, String text) {
        failed(new RdmaCmEvent.Unreachable(id, status, text));
    }

    @Override
    public void onConnectError(int status, String text) {
        failed(new RdmaCmEvent.ConnectError(id, status, text));
    }

    @Override
    public void onDisconnected(int status) {
        id.advance(CmInput.CONNECTION_DOWN, new RdmaCmEvent.Disconnected(id, status));
    }

    @Override
    public void onTimewaitExit() {
        id.advance(CmInput.TIMEWAIT_OVER, new RdmaCmEvent.TimewaitExit(id));
    }

    @Override
    public void onRequestGone() {
        // a request that nobody has seen goes as it came; one that was taken is told when it is accepted
        if (id.channel().withdraw(id)) {
            id.close();
        }
    }

    private void failed(RdmaCmEvent event) {
        id.advance(CmInput.CONNECTION_FAILED, event);
    }
}
