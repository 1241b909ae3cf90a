package io.jrdma.interop.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * {@code bin/jrdma rping} against the C rping, each as client and as server, over either wire.
 *
 * <p>A ping is Send, RDMA Read, Send, Send, RDMA Write, Send (client's view: advertise, be read from, go-ahead, advertise,
 * be written to, go-ahead), so each case runs these operations 100 times. What arrived is checked on both
 * sides: the client compares what came back ({@code -V}), and the server prints what it read ({@code -v}).
 */
abstract class RpingPeerCases {
    static final int COUNT = 100;
    static final Duration LIMIT = Duration.ofMinutes(4);
    private static final AtomicInteger NEXT_PORT = new AtomicInteger(7200);

    /** The smallest size that the C tool takes, as client or as server: its start message and a number. */
    private static final int C_MINIMUM = 23;

    final String port = Integer.toString(NEXT_PORT.getAndIncrement());
    private final String transport;

    RpingPeerCases(String transport) {
        this.transport = transport;
    }

    // The C server reads as many bytes as the client advertises, so a Java client may go below what the C client may.
    static List<Arguments> javaClientCases() {
        return cases(16);
    }

    static List<Arguments> cClientCases() {
        return cases(C_MINIMUM);
    }

    private static List<Arguments> cases(int smallest) {
        List<Arguments> cases = new ArrayList<>();
        for (int size : new int[] {smallest, 100, 1000, 4096, 65535}) {
            cases.add(Arguments.of("IPv4", size));
            cases.add(Arguments.of("IPv6", size));
        }
        return cases;
    }

    @ParameterizedTest
    @MethodSource("javaClientCases")
    void javaClientPingsTheCServer(String family, int size, PeerRig rig) {
        String address =
                family.equals("IPv4") ? rig.guest().address4() : rig.guest().address6();
        GuestJob server = startCServer(rig.guest(), address, Math.max(size, C_MINIMUM));
        rig.namespace().runJrdma(LIMIT, java("-c", address, size)).orFail();
        CRping.checkPings(server.await(LIMIT), COUNT);
    }

    @ParameterizedTest
    @MethodSource("cClientCases")
    void cClientPingsTheJavaServer(String family, int size, PeerRig rig) {
        String address = family.equals("IPv4") ? PeerNamespace.ADDRESS_4 : PeerNamespace.ADDRESS_6;
        try (PeerProcess server = startJavaServer(rig, address, size)) {
            String arguments = "-a " + address + " -p " + port + " -C " + COUNT + " -S " + size;
            CRping.checkPings(rig.guest().run(CRping.client(arguments), LIMIT), COUNT);
            server.await(LIMIT).orFail();
        }
    }

    @Test
    void clientThatFindsNobodyExitsWith3(PeerRig rig) {
        Outcome client = rig.namespace().runJrdma(LIMIT, java("-c", rig.guest().address4(), 100));
        assertThat(client.exitCode()).isEqualTo(3);
        assertThat(client.output()).contains(rig.guest().address4());
    }

    GuestJob startCServer(KernelGuest guest, String address, int size) {
        String arguments = "-a " + address + " -p " + port + " -S " + size;
        return guest.startServer(CRping.server(arguments), Integer.parseInt(port), LIMIT);
    }

    PeerProcess startJavaServer(PeerRig rig, String address, int size, String... more) {
        return OurServers.startListening(rig, LIMIT, java("-s", address, size, more));
    }

    void checkJavaServerOnAllAddresses(PeerRig rig, String wildcard) {
        String address = wildcard.equals("::") ? PeerNamespace.ADDRESS_6 : PeerNamespace.ADDRESS_4;
        try (PeerProcess server = startJavaServer(rig, wildcard, 100)) {
            String arguments = "-C 3 -S 100 -p " + port + " -a " + address;
            CRping.checkPings(rig.guest().run(CRping.client(arguments), LIMIT), 3);
            server.await(LIMIT).orFail();
        }
    }

    String[] java(String role, String address, int size, String... more) {
        return Stream.concat(
                        Stream.of(
                                "rping",
                                role,
                                "--transport",
                                transport,
                                "-V",
                                "-a",
                                address,
                                "-p",
                                port,
                                "-C",
                                "" + COUNT,
                                "-S",
                                "" + size),
                        Stream.of(more))
                .toArray(String[]::new);
    }
}
