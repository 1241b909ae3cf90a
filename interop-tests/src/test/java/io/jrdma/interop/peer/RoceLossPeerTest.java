package io.jrdma.interop.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The tools against rdma_rxe while packets are lost, doubled, held up and overtaken in both directions.
 *
 * <p>Counts are small because rxe repeats a lost message of a connection that rdma_cm made after two seconds only. Where the C side is the
 * client, only its own result is judged: when it has got its last answer it is gone, and if its last acknowledgement was lost the server
 * never learns that all went well.
 */
@KernelPeer(RdmaLink.RXE)
class RoceLossPeerTest {
    private static final int COUNT = 10;
    /** A few packets each way: rxe as reader loses one of twenty responses, and then waits for its timer. */
    private static final String PING_BYTES = "3000";

    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final AtomicInteger NEXT_PORT = new AtomicInteger(7900);

    private final String port = Integer.toString(NEXT_PORT.getAndIncrement());

    @BeforeEach
    void hurt(PeerRig rig) {
        RocePeers.hurt(rig.guest());
    }

    @AfterEach
    void heal(PeerRig rig) {
        RocePeers.heal(rig.guest());
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.77.0.2", "fd77::2"})
    void javaRpingClientAgainstTheCServer(String address, PeerRig rig) {
        GuestJob server = rig.guest()
                .startServer(
                        CRping.server("-a " + address + " -p " + port + " -S " + PING_BYTES),
                        Integer.parseInt(port),
                        LIMIT);
        rig.namespace()
                .runJrdma(
                        LIMIT,
                        "rping",
                        "-c",
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
                        PING_BYTES)
                .orFail();
        CRping.checkPings(server.await(LIMIT), COUNT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.77.0.1", "fd77::1"})
    void cRpingClientAgainstTheJavaServer(String address, PeerRig rig) {
        try (PeerProcess server = OurServers.startListening(
                rig, LIMIT, "rping", "-s", "--transport", "roce", "-V", "-a", address, "-p", port, "-S", PING_BYTES)) {
            String arguments = "-a " + address + " -p " + port + " -C " + COUNT + " -S " + PING_BYTES;
            CRping.checkPings(rig.guest().run(CRping.client(arguments), LIMIT), COUNT);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4096, 1 << 16})
    void javaPingpongClientAgainstTheCServer(int size, PeerRig rig) {
        String arguments = " -p " + port + " -m 1024 -s " + size + " -n " + COUNT;
        String gid = RocePeers.gidIndex(rig.guest(), rig.guest().address4());
        GuestJob server = rig.guest()
                .startTcpServer("ibv_rc_pingpong -d rxe0 -g " + gid + arguments, Integer.parseInt(port), LIMIT);
        Outcome client = rig.namespace()
                .runJrdma(
                        LIMIT,
                        "rc-pingpong",
                        "-c",
                        rig.guest().address4(),
                        "-p",
                        port,
                        "-s",
                        "" + size,
                        "-n",
                        "" + COUNT,
                        "--linger",
                        "5000")
                .orFail();
        assertThat(client.output()).contains(COUNT + " iters in");
        assertThat(server.await(LIMIT).orFail().output()).contains(COUNT + " iters in");
    }

    @ParameterizedTest
    @ValueSource(ints = {4096, 1 << 16})
    void cPingpongClientAgainstTheJavaServer(int size, PeerRig rig) {
        String gid = RocePeers.gidIndex(rig.guest(), rig.guest().address4());
        try (PeerProcess server = OurServers.startListening(
                rig,
                LIMIT,
                "rc-pingpong",
                "--bind",
                PeerNamespace.ADDRESS_4,
                "-p",
                port,
                "-s",
                "" + size,
                "-n",
                "" + COUNT)) {
            Outcome client = rig.guest()
                    .run(
                            "ibv_rc_pingpong -c -d rxe0 -g " + gid + " -p " + port + " -m 1024 -s " + size + " -n "
                                    + COUNT + " " + PeerNamespace.ADDRESS_4,
                            LIMIT)
                    .orFail();
            assertThat(client.output()).contains(COUNT + " iters in").doesNotContain("invalid data");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.77.0.2"})
    void javaUcmatoseClientAgainstTheCServer(String address, PeerRig rig) {
        GuestJob server =
                rig.guest().startServer("ucmatose -b " + address + " -p " + port, Integer.parseInt(port), LIMIT);
        Outcome client = rig.namespace()
                .runJrdma(LIMIT, "ucmatose", "--transport", "roce", "-s", address, "-p", port)
                .orFail();
        assertThat(client.output()).contains("data transfers complete").contains("return status 0");
        assertThat(server.await(LIMIT).orFail().output()).contains("data transfers complete");
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.77.0.1"})
    void cUcmatoseClientAgainstTheJavaServer(String address, PeerRig rig) {
        try (PeerProcess server =
                OurServers.startListening(rig, LIMIT, "ucmatose", "--transport", "roce", "-b", address, "-p", port)) {
            Outcome client = rig.guest()
                    .run("ucmatose -s " + address + " -p " + port, LIMIT)
                    .orFail();
            assertThat(client.output()).contains("data transfers complete").contains("return status 0");
        }
    }
}
