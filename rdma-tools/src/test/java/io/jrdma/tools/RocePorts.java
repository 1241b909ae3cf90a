package io.jrdma.tools;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** Two UDP ports for two devices at one address, which cannot share RoCE's own. */
public record RocePorts(int server, int client) {
    /** Two that are free in this moment. */
    public static RocePorts choose() {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (DatagramSocket one = new DatagramSocket(any);
                DatagramSocket other = new DatagramSocket(any)) {
            return new RocePorts(one.getLocalPort(), other.getLocalPort());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** The server's command line with the ports. */
    public String[] ofServer(String... args) {
        return with(args, server, client);
    }

    /** The client's command line with the ports. */
    public String[] ofClient(String... args) {
        return with(args, client, server);
    }

    private static String[] with(String[] args, int own, int peer) {
        List<String> line = new ArrayList<>(List.of(args));
        line.addAll(List.of("--roce-port", "" + own, "--roce-peer-port", "" + peer));
        return line.toArray(String[]::new);
    }
}
