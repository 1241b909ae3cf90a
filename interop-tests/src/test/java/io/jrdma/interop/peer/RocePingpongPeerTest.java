package io.jrdma.interop.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code bin/jrdma rc-pingpong} against {@code ibv_rc_pingpong} over rdma_rxe, each as client and as server: queue pairs brought up by hand. */
@KernelPeer(RdmaLink.RXE)
class RocePingpongPeerTest {
    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final AtomicInteger NEXT_PORT = new AtomicInteger(18_515);

    private final String port = Integer.toString(NEXT_PORT.getAndIncrement());

    static List<Arguments> cases() {
        return List.of(
                Arguments.of("IPv4", 1024, 4096, 200),
                Arguments.of("IPv4", 256, 4096, 200),
                Arguments.of("IPv6", 1024, 1000, 200),
                Arguments.of("IPv4", 1024, 1 << 20, 10));
    }

    /** The C server listens on IPv4 alone: the addresses are exchanged there, whatever family the queue pairs use. */
    @ParameterizedTest
    @MethodSource("cases")
    void javaClientAgainstTheCServer(String family, int mtu, int size, int count, PeerRig rig) {
        boolean four = family.equals("IPv4");
        String ours = four ? PeerNamespace.ADDRESS_4 : PeerNamespace.ADDRESS_6;
        String theirs = four ? rig.guest().address4() : rig.guest().address6();
        GuestJob server = rig.guest()
                .startTcpServer(
                        "ibv_rc_pingpong -d rxe0 -g " + RocePeers.gidIndex(rig.guest(), theirs)
                                + arguments(mtu, size, count),
                        Integer.parseInt(port),
                        LIMIT);
        Outcome client = rig.namespace()
                .runJrdma(LIMIT, java(Stream.of("-c", rig.guest().address4(), "--bind", ours), mtu, size, count))
                .orFail();
        assertThat(client.output()).contains(count + " iters in");
        assertThat(server.await(LIMIT).orFail().output()).contains(count + " iters in");
    }

    @ParameterizedTest
    @MethodSource("cases")
    void cClientAgainstTheJavaServer(String family, int mtu, int size, int count, PeerRig rig) {
        boolean four = family.equals("IPv4");
        String ours = four ? PeerNamespace.ADDRESS_4 : PeerNamespace.ADDRESS_6;
        String theirs = four ? rig.guest().address4() : rig.guest().address6();
        try (PeerProcess server =
                OurServers.startListening(rig, LIMIT, java(Stream.of("--bind", ours), mtu, size, count))) {
            Outcome client = rig.guest()
                    .run(
                            "ibv_rc_pingpong -c -d rxe0 -g " + RocePeers.gidIndex(rig.guest(), theirs)
                                    + arguments(mtu, size, count) + " " + ours,
                            LIMIT)
                    .orFail();
            assertThat(client.output()).contains(count + " iters in").doesNotContain("invalid data");
            assertThat(server.await(LIMIT).orFail().output()).contains(count + " iters in");
        }
    }

    private String arguments(int mtu, int size, int count) {
        return " -p " + port + " -m " + mtu + " -s " + size + " -n " + count;
    }

    private String[] java(Stream<String> first, int mtu, int size, int count) {
        return Stream.concat(
                        Stream.of("rc-pingpong"),
                        Stream.concat(first, Stream.of("-p", port, "-m", "" + mtu, "-s", "" + size, "-n", "" + count)))
                .toArray(String[]::new);
    }
}
