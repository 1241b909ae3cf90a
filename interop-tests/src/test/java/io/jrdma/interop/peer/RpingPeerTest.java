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
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code bin/jrdma rping} against the C rping over siw, each as client and as server.
 *
 * <p>A ping is Send, RDMA Read, Send, Send, RDMA Write, Send (client's view: advertise, be read from, go-ahead, advertise,
 * be written to, go-ahead), so each case runs all operations that iWARP has, 100 times. What arrived is checked on both
 * sides: the client compares what came back ({@code -V}), and the server prints what it read ({@code -v}).
 */
@KernelPeer(RdmaLink.SIW)
class RpingPeerTest {
    private static final int COUNT = 100;
    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final AtomicInteger NEXT_PORT = new AtomicInteger(7200);

    /** The smallest size that the C tool takes, as client or as server: its start message and a number. */
    private static final int C_MINIMUM = 23;

    private final String port = Integer.toString(NEXT_PORT.getAndIncrement());

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

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::"})
    void cClientReachesAJavaServerThatListensOnAllAddresses(String wildcard, PeerRig rig) {
        String address = wildcard.equals("::") ? PeerNamespace.ADDRESS_6 : PeerNamespace.ADDRESS_4;
        try (PeerProcess server = startJavaServer(rig, wildcard, 100)) {
            String arguments = "-C 3 -S 100 -p " + port + " -a " + address;
            CRping.checkPings(rig.guest().run(CRping.client(arguments), LIMIT), 3);
            server.await(LIMIT).orFail();
        }
    }

    /** CRC is on by default; siw itself does not ask for it, and follows either way. */
    @ParameterizedTest
    @ValueSource(strings = {"--no-crc", "--peer-to-peer", "--no-crc --peer-to-peer"})
    void javaClientPingsTheCServerWithOtherStartUps(String options, PeerRig rig) {
        String address = rig.guest().address4();
        GuestJob server = startCServer(rig.guest(), address, 4096);
        rig.namespace()
                .runJrdma(LIMIT, java("-c", address, 4096, options.split(" ")))
                .orFail();
        CRping.checkPings(server.await(LIMIT), COUNT);
    }

    @Test
    void cClientPingsTheJavaServerWithoutCrc(PeerRig rig) {
        try (PeerProcess server = startJavaServer(rig, PeerNamespace.ADDRESS_4, 4096, "--no-crc")) {
            String arguments = "-a " + PeerNamespace.ADDRESS_4 + " -p " + port + " -C " + COUNT + " -S 4096";
            CRping.checkPings(rig.guest().run(CRping.client(arguments), LIMIT), COUNT);
            server.await(LIMIT).orFail();
        }
    }

    /** siw sends no markers, and refuses a peer that wants them. */
    @Test
    void clientThatWantsMarkersIsRefused(PeerRig rig) {
        String address = rig.guest().address4();
        startCServer(rig.guest(), address, 100);
        assertThat(rig.namespace()
                        .runJrdma(LIMIT, java("-c", address, 100, "--markers"))
                        .exitCode())
                .isEqualTo(3);
    }

    /** Without enhanced connection data siw allows no Reads, so the C server gives up when it has to read. */
    @Test
    void clientOfRevision1ConnectsAndIsLeftByTheServer(PeerRig rig) {
        String address = rig.guest().address4();
        startCServer(rig.guest(), address, 100);
        assertThat(rig.namespace()
                        .runJrdma(LIMIT, java("-c", address, 100, "--mpa-revision", "1"))
                        .exitCode())
                .isEqualTo(1);
    }

    /** rping.c: letters from A to z that go on where the text ends, starting one later each time. */
    @Test
    void cServerReadsTheTextThatTheCClientWouldHaveSent(PeerRig rig) {
        GuestJob server = rig.guest()
                .startServer("rping -s -v -a " + rig.guest().address4() + " -p " + port, Integer.parseInt(port), LIMIT);
        rig.namespace()
                .runJrdma(LIMIT, "rping", "-c", "-a", rig.guest().address4(), "-p", port, "-C", "2", "-S", "40")
                .orFail();
        assertThat(server.await(LIMIT).orFail().output())
                .contains("server ping data: rdma-ping-0: ABCDEFGHIJKLMNOPQRSTUVWXYZ\n")
                .contains("server ping data: rdma-ping-1: BCDEFGHIJKLMNOPQRSTUVWXYZ[\n");
    }

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

    private PeerProcess startJavaServer(PeerRig rig, String address, int size, String... more) {
        PeerProcess server = rig.namespace().startJrdma(java("-s", address, size, more));
        try {
            server.awaitListener(Integer.parseInt(port), LIMIT);
        } catch (Throwable t) {
            server.close();
            throw t;
        }
        return server;
    }

    private String[] java(String role, String address, int size, String... more) {
        return Stream.concat(
                        Stream.of("rping", role, "-V", "-a", address, "-p", port, "-C", "" + COUNT, "-S", "" + size),
                        Stream.of(more))
                .toArray(String[]::new);
    }
}
