package io.jrdma.interop.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
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
    private static final Duration LIMIT = Duration.ofSeconds(90);
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
        rig.namespace().runJrdma(LIMIT, client(address, size)).orFail();
        assertThat(server.await(LIMIT).orFail().output()).contains("pings: " + COUNT + "\n");
    }

    @ParameterizedTest
    @MethodSource("cClientCases")
    void cClientPingsTheJavaServer(String family, int size, PeerRig rig) {
        String address = family.equals("IPv4") ? PeerNamespace.ADDRESS_4 : PeerNamespace.ADDRESS_6;
        try (PeerProcess server = rig.namespace().startJrdma(server(address, size))) {
            server.awaitListener(Integer.parseInt(port), LIMIT);
            rig.guest().run(String.join(" ", client(address, size)), LIMIT).orFail();
            server.await(LIMIT).orFail();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::"})
    void cClientReachesAJavaServerThatListensOnAllAddresses(String wildcard, PeerRig rig) {
        try (PeerProcess server = rig.namespace().startJrdma(server(wildcard, 100))) {
            server.awaitListener(Integer.parseInt(port), LIMIT);
            String address = wildcard.equals("::") ? PeerNamespace.ADDRESS_6 : PeerNamespace.ADDRESS_4;
            rig.guest()
                    .run("rping -c -V -C 3 -S 100 -p " + port + " -a " + address, LIMIT)
                    .orFail();
            server.await(LIMIT).orFail();
        }
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
        Outcome client = rig.namespace().runJrdma(LIMIT, client(rig.guest().address4(), 100));
        assertThat(client.exitCode()).isEqualTo(3);
        assertThat(client.output()).contains(rig.guest().address4());
    }

    private GuestJob startCServer(KernelGuest guest, String address, int size) {
        String server = "rping -s -v -V -a " + address + " -p " + port + " -S " + size;
        return guest.startServer(counted(server, "server ping data: rdma-ping-"), Integer.parseInt(port), LIMIT);
    }

    /**
     * A script that runs the C tool and says how often it printed a line of ping data. The exit code is the tool's, and not
     * enough: a C client whose server closes the connection too early ends with 0.
     */
    private static String counted(String command, String line) {
        return command + " >/tmp/rping.out 2>&1\n"
                + "code=$?\n"
                + "echo pings: $(grep -c '^" + line + "' /tmp/rping.out)\n"
                + "grep -v '^" + line + "' /tmp/rping.out\n"
                + "rm /tmp/rping.out\n"
                + "exit $code";
    }

    private String[] client(String address, int size) {
        return new String[] {
            "rping", "-c", "-V", "-a", address, "-p", port, "-C", Integer.toString(COUNT), "-S", Integer.toString(size)
        };
    }

    private String[] server(String address, int size) {
        return new String[] {
            "rping", "-s", "-V", "-a", address, "-p", port, "-C", Integer.toString(COUNT), "-S", Integer.toString(size)
        };
    }
}
