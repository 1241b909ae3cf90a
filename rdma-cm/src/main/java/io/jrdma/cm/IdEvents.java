package io.jrdma.cm;

import io.jrdma.cm.iwarp.IwarpConnectionEvents;
import io.jrdma.verbs.MpaNegotiated;

/** Turns what an id's connection reports into its states and events; loop. */
final class IdEvents implements IwarpConnectionEvents {
    private final RdmaCmId id;

    IdEvents(RdmaCmId id) {
        this.id = id;
    }

    @Override
    public void onEstablished(byte[] privateData, MpaNegotiated agreed) {
        id.advance(
                CmInput.CONNECTION_UP,
                () -> id.agreed(agreed),
                new RdmaCmEvent.Established(id, privateData, agreed.ird(), agreed.ord()));
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
    public void onDisconnected() {
        id.advance(CmInput.CONNECTION_DOWN, new RdmaCmEvent.Disconnected(id, 0));
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
