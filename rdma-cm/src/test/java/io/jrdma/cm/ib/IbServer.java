package io.jrdma.cm.ib;

import io.jrdma.cm.transport.CmConnection;
import io.jrdma.cm.transport.CmRequests;
import io.jrdma.cm.transport.ConnectionOffer;
import java.util.ArrayList;
import java.util.List;

/** A listener whose application answers at once, or when the test says so. */
final class IbServer implements CmRequests {
    static final int PORT = 7471;

    final IbHost host;
    final IbListener listener;
    final List<IbEnd> requests = new ArrayList<>();
    final List<byte[]> privateData = new ArrayList<>();
    int peerResponderResources;
    int peerInitiatorDepth;
    private ConnectionOffer reply;

    IbServer(IbHost host) {
        this(host, PORT, 16);
    }

    IbServer(IbHost host, int port, int backlog) {
        this.host = host;
        this.listener = new IbListener(backlog, this);
        listener.open(host.cm(), port);
    }

    /** Accepts what comes from now on, at once. */
    IbServer accepting(ConnectionOffer newReply) {
        reply = newReply;
        return this;
    }

    IbServer accepting() {
        return accepting(IbHost.offer(4, 4));
    }

    IbEnd last() {
        return requests.getLast();
    }

    @Override
    public void onRequest(CmConnection request, byte[] data, int resources, int depth) {
        IbEnd end = new IbEnd(host, host.queuePair());
        end.connection = (IbConnection) request;
        request.listen(end);
        requests.add(end);
        privateData.add(data);
        peerResponderResources = resources;
        peerInitiatorDepth = depth;
        if (reply != null) {
            end.accept(reply);
        }
    }
}
