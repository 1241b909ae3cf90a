package io.jrdma.cm.ib;

import io.jrdma.cm.transport.CmConnectionEvents;
import io.jrdma.cm.transport.ConnectionOffer;
import io.jrdma.cm.transport.ConnectionTerms;
import io.jrdma.verbs.IbCmNegotiated;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.queue.QueuePairCore;
import java.util.ArrayList;
import java.util.List;

/** One end of a connection under test, and what was reported of it. */
final class IbEnd implements CmConnectionEvents {
    final IbHost host;
    final QueuePairCore queuePair;
    final List<String> log = new ArrayList<>();
    IbConnection connection;
    byte[] privateData;
    IbCmNegotiated terms;

    IbEnd(IbHost host, QueuePairCore queuePair) {
        this.host = host;
        this.queuePair = queuePair;
    }

    void accept(ConnectionOffer offer) {
        connection.accept(queuePair, offer, host.network.nowNs());
    }

    void disconnect() {
        connection.disconnect(host.network.nowNs());
    }

    void destroy() {
        connection.destroy(host.network.nowNs());
    }

    void fail() {
        IbHost.notes(queuePair).fail();
        host.cm().onQueuePairFault(queuePair.qpNum(), host.network.nowNs());
    }

    IbConnectionState state() {
        return connection.state();
    }

    QpState qpState() {
        return queuePair.state();
    }

    @Override
    public void onEstablished(byte[] data, ConnectionTerms agreed) {
        privateData = data;
        terms = agreed.ib();
        log.add("ESTABLISHED");
    }

    @Override
    public void onRejected(int status, byte[] data, String text) {
        privateData = data;
        log.add("REJECTED " + status);
    }

    @Override
    public void onUnreachable(int status, String text) {
        log.add("UNREACHABLE " + status);
    }

    @Override
    public void onConnectError(int status, String text) {
        log.add("CONNECT_ERROR " + status);
    }

    @Override
    public void onDisconnected(int status) {
        log.add("DISCONNECTED " + status);
    }

    @Override
    public void onRequestGone() {
        log.add("REQUEST_GONE");
    }

    @Override
    public void onTimewaitExit() {
        log.add("TIMEWAIT_EXIT");
    }
}
