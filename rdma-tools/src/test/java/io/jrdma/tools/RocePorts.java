package io.jrdma.tools;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** Command lines for a server and a client at one address. */
public record RocePorts(int server, int client) {
    /** Two that are free in this moment. */
    public static RocePorts choose() {
        try {
            UdpPorts ports = UdpPorts.choose();
            return new RocePorts(ports.passive(), ports.active());
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
        if (line.contains("iwarp")) {
            return args; // it has no such ports
        }
        line.addAll(List.of("--roce-port", "" + own, "--roce-peer-port", "" + peer));
        return line.toArray(String[]::new);
    }
}
