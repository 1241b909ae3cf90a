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
 * {@code bin/jrdma rping --transport roce} against the C rping over rdma_rxe, each as client and as server; what a ping is stands at {@link
 * RpingPeerTest}.
 */
@KernelPeer(RdmaLink.RXE)
class RoceRpingPeerTest {
    private static final int COUNT = 100;
    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final AtomicInteger NEXT_PORT = new AtomicInteger(7600);

    /** The smallest size that the C tool takes. */
    private static final int C_MINIMUM = 23;

    private final String port = Integer.toString(NEXT_PORT.getAndIncrement());

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
    void cClientReachesAJavaServerThatListensOnAllAddresses(PeerRig rig) {
        try (PeerProcess server = startJavaServer(rig, "0.0.0.0", 100)) {
            String arguments = "-C 3 -S 100 -p " + port + " -a " + PeerNamespace.ADDRESS_4;
            CRping.checkPings(rig.guest().run(CRping.client(arguments), LIMIT), 3);
            server.await(LIMIT).orFail();
        }
    }

    /** The peer answers with REJ reason 8: invalid service id. */
    @Test
    void clientThatFindsNobodyExitsWith3(PeerRig rig) {
        Outcome client = rig.namespace().runJrdma(LIMIT, java("-c", rig.guest().address4(), 100));
        assertThat(client.exitCode()).isEqualTo(3);
        assertThat(client.output()).contains(rig.guest().address4());
    }

    private GuestJob startCServer(KernelGuest guest, String address, int size) {
        String arguments = "-a " + address + " -p " + port + " -S " + size;
        return guest.startServer(CRping.server(arguments), Integer.parseInt(port), LIMIT);
    }

    private PeerProcess startJavaServer(PeerRig rig, String address, int size) {
        return RocePeers.startListening(rig, LIMIT, java("-s", address, size));
    }

    private String[] java(String role, String address, int size, String... more) {
        return Stream.concat(
                        Stream.of(
                                "rping",
                                role,
                                "--transport",
                                "roce",
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
