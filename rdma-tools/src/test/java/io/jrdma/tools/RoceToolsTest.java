package io.jrdma.tools;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands over RoCE, client and server in one process: what they do is the same as over iWARP. */
class RoceToolsTest {
    private final RocePorts ports = RocePorts.choose();

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, 16",
        "127.0.0.1, 4096",
        "127.0.0.1, 65535",
        "::1, 100",
        "::1, 65535",
    })
    void pingsComeBackVerified(String address, String size) {
        try (Running server = start("rping", "-s", "--transport", "roce", "-a", address, "-p", "0", "-V")) {
            Running.Ended client = run(
                    "rping",
                    "-c",
                    "--transport",
                    "roce",
                    "-a",
                    address,
                    "-p",
                    server.awaitPort(),
                    "-C",
                    "20",
                    "-S",
                    size,
                    "-V",
                    "-v");
            assertThat(client.exitCode()).as(client.err()).isZero();
            assertThat(client.out().lines()).hasSize(20).allMatch(line -> line.startsWith("ping data: rdma-ping-"));
            Running.Ended served = server.await();
            assertThat(served.exitCode()).as(served.err()).isZero();
        }
    }

    @Test
    void aPersistentServerServesOneClientAfterAnother() {
        try (Running server = start("rping", "-s", "-P", "--transport", "roce", "-a", "127.0.0.1", "-p", "0", "-V")) {
            Running.Ended client = run(
                    "rping",
                    "-c",
                    "--transport",
                    "roce",
                    "-a",
                    "127.0.0.1",
                    "-p",
                    server.awaitPort(),
                    "-C",
                    "2",
                    "-V",
                    "--connections",
                    "25");
            assertThat(client.exitCode()).as(client.err()).isZero();
            assertThat(client.err()).contains("25 connections, 50 pings");
        }
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1, 1, 10, 100", "127.0.0.1, 5, 4, 20000", "::1, 2, 3, 0"})
    void ucmatoseMessagesGoThereAndBack(String address, String connections, String count, String size) {
        try (Running server = start(
                "ucmatose",
                "--transport",
                "roce",
                "-b",
                address,
                "-p",
                "0",
                "-c",
                connections,
                "-C",
                count,
                "-S",
                size)) {
            Running.Ended client = run(
                    "ucmatose",
                    "--transport",
                    "roce",
                    "-s",
                    address,
                    "-p",
                    server.awaitPort(),
                    "-c",
                    connections,
                    "-C",
                    count,
                    "-S",
                    size);
            assertThat(client.exitCode()).as(client.err()).isZero();
            Running.Ended served = server.await();
            assertThat(served.exitCode()).as(served.err()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void aMessageGoesThereAndOneBack(String address) {
        try (Running server = start("rdma-server", "--transport", "roce", "-b", address, "-p", "0")) {
            Running.Ended client = run("rdma-client", "--transport", "roce", "-s", address, "-p", server.awaitPort());
            assertThat(client.exitCode()).as(client.err()).isZero();
            assertThat(server.await().exitCode()).isZero();
        }
    }

    @Test
    void aServiceThatNobodyOffersExitsWithThree() {
        try (Running server = start("rping", "-s", "--transport", "roce", "-a", "127.0.0.1", "-p", "0")) {
            String other = server.awaitPort().equals("1") ? "2" : "1";
            Running.Ended client = run("rping", "-c", "--transport", "roce", "-a", "127.0.0.1", "-p", other, "-C", "1");
            assertThat(client.exitCode()).isEqualTo(3);
            assertThat(client.err()).contains("127.0.0.1:" + other).doesNotContain("\tat ");
        }
    }

    @Test
    void aUdpPortThatIsTakenIsNamed() {
        try (Running first = start("rping", "-s", "--transport", "roce", "-a", "127.0.0.1", "-p", "0")) {
            first.awaitPort();
            Running.Ended second =
                    Running.run(ports.ofServer("rping", "-s", "--transport", "roce", "-a", "127.0.0.1", "-p", "0"));
            assertThat(second.exitCode()).isEqualTo(1);
            assertThat(second.err()).contains("127.0.0.1", "" + ports.server()).doesNotContain("\tat ");
        }
    }

    private Running start(String... args) {
        return Running.start(ports.ofServer(args));
    }

    private Running.Ended run(String... args) {
        return Running.run(ports.ofClient(args));
    }
}
