package io.jrdma.tools;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RdmaClientServerTest {
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void aMessageGoesThereAndOneBack(String address) {
        try (Running server = Running.start("rdma-server", "-b", address, "-p", "0")) {
            Running.Ended client = Running.run("rdma-client", "-s", address, "-p", server.awaitPort());
            assertThat(client.exitCode()).as(client.err()).isZero();
            assertThat(client.out()).isEqualToNormalizingNewlines("rdma_client: start\nrdma_client: end 0\n");
            Running.Ended served = server.await();
            assertThat(served.exitCode()).as(served.err()).isZero();
            assertThat(served.out()).isEqualToNormalizingNewlines("rdma_server: start\nrdma_server: end 0\n");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"iwarp", "roce"})
    void clientMayChooseItsAddress(String transport) {
        RocePorts ports = RocePorts.choose();
        try (Running server =
                Running.start(ports.ofServer("rdma-server", "--transport", transport, "-b", "127.0.0.1", "-p", "0"))) {
            String port = server.awaitPort();
            Running.Ended foreign = Running.run(
                    ports.ofClient("rdma-client", "--transport", transport, "--bind", "192.0.2.1", "-p", port));
            assertThat(foreign.exitCode()).isEqualTo(3);
            assertThat(foreign.err())
                    .contains("EADDRNOTAVAIL", "192.0.2.1 is not an address of this host")
                    .doesNotContain("\tat ");
            Running.Ended client = Running.run(
                    ports.ofClient("rdma-client", "--transport", transport, "--bind", "127.0.0.7", "-p", port));
            assertThat(client.exitCode()).as(client.err()).isZero();
            assertThat(server.await().exitCode()).isZero();
        }
    }

    @Test
    void nobodyListeningExitsWithThree() {
        String port;
        try (Running server = Running.start("rdma-server", "-b", "127.0.0.1", "-p", "0")) {
            port = server.awaitPort();
            Running.run("rdma-client", "-p", port);
            server.await();
        }
        Running.Ended client = Running.run("rdma-client", "-p", port);
        assertThat(client.exitCode()).isEqualTo(3);
        assertThat(client.err()).contains("127.0.0.1:" + port).doesNotContain("\tat ");
    }
}
