package io.jrdma.iwarp;

import io.jrdma.verbs.MpaNegotiated;
import io.jrdma.verbs.spi.ConnectFailure;
import io.jrdma.verbs.spi.StreamListener;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Writes down what a connection says. */
class TestListener implements StreamListener {
    final List<String> log = new ArrayList<>();
    MpaNegotiated negotiated;
    byte[] privateData;
    ConnectFailure failure;
    int peerIrd;
    int peerOrd;

    @Override
    public void onRequest(byte[] data, int newPeerIrd, int newPeerOrd) {
        privateData = data;
        peerIrd = newPeerIrd;
        peerOrd = newPeerOrd;
        log.add("request " + text(data));
    }

    @Override
    public void onEstablished(byte[] data, MpaNegotiated agreed) {
        negotiated = agreed;
        if (data.length > 0) {
            privateData = data;
        }
        log.add("established " + text(data));
    }

    @Override
    public void onRejected(byte[] data) {
        privateData = data;
        log.add("rejected " + text(data));
    }

    @Override
    public void onFailed(ConnectFailure why) {
        failure = why;
        log.add("failed " + why.kind() + " " + why.errno());
    }

    @Override
    public void onDisconnected() {
        log.add("disconnected");
    }

    boolean isEstablished() {
        return negotiated != null;
    }

    boolean isOver() {
        return log.contains("disconnected") || failure != null || log.stream().anyMatch(l -> l.startsWith("rejected"));
    }

    private static String text(byte[] data) {
        return new String(data, StandardCharsets.ISO_8859_1);
    }
}
