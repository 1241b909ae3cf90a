package io.jrdma.interop.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Plain messages over rdma_rxe: {@code rdma_client}, {@code rdma_server} and {@code ucmatose} of rdma-core against ours. */
@KernelPeer(RdmaLink.RXE)
class RoceMessagesPeerTest {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final AtomicInteger NEXT_PORT = new AtomicInteger(7800);

    private final String port = Integer.toString(NEXT_PORT.getAndIncrement());

    @ParameterizedTest
    @ValueSource(strings = {"10.77.0.2", "fd77::2"})
    void javaRdmaClientAgainstTheCServer(String address, PeerRig rig) {
        GuestJob server = startCServer(rig, "rdma_server -s " + address + " -p " + port);
        assertThat(rig.namespace()
                        .runJrdma(LIMIT, "rdma-client", "--transport", "roce", "-s", address, "-p", port)
                        .orFail()
                        .output())
                .contains("rdma_client: end 0");
        assertThat(server.await(LIMIT).orFail().output()).contains("rdma_server: end 0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.77.0.1", "fd77::1"})
    void cRdmaClientAgainstTheJavaServer(String address, PeerRig rig) {
        try (PeerProcess server =
                RocePeers.startListening(rig, LIMIT, "rdma-server", "--transport", "roce", "-b", address, "-p", port)) {
            assertThat(rig.guest()
                            .run("rdma_client -s " + address + " -p " + port, LIMIT)
                            .orFail()
                            .output())
                    .contains("rdma_client: end 0");
            assertThat(server.await(LIMIT).orFail().output()).contains("rdma_server: end 0");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.77.0.2", "fd77::2"})
    void javaUcmatoseClientAgainstTheCServer(String address, PeerRig rig) {
        GuestJob server = startCServer(rig, "ucmatose -b " + address + " -p " + port);
        assertThat(rig.namespace()
                        .runJrdma(LIMIT, "ucmatose", "--transport", "roce", "-s", address, "-p", port)
                        .orFail()
                        .output())
                .contains("data transfers complete")
                .contains("return status 0");
        assertThat(server.await(LIMIT).orFail().output())
                .contains("data transfers complete")
                .contains("return status 0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.77.0.1", "fd77::1"})
    void cUcmatoseClientAgainstTheJavaServer(String address, PeerRig rig) {
        try (PeerProcess server =
                RocePeers.startListening(rig, LIMIT, "ucmatose", "--transport", "roce", "-b", address, "-p", port)) {
            assertThat(rig.guest()
                            .run("ucmatose -s " + address + " -p " + port, LIMIT)
                            .orFail()
                            .output())
                    .contains("data transfers complete")
                    .contains("return status 0");
            assertThat(server.await(LIMIT).orFail().output())
                    .contains("data transfers complete")
                    .contains("return status 0");
        }
    }

    private GuestJob startCServer(PeerRig rig, String command) {
        return rig.guest().startServer(command, Integer.parseInt(port), LIMIT);
    }
}
