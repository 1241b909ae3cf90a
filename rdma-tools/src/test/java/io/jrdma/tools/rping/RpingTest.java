package io.jrdma.tools.rping;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.tools.Running;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Our client against our server, in one process. */
class RpingTest {
    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, 16",
        "127.0.0.1, 23",
        "127.0.0.1, 100",
        "127.0.0.1, 4096",
        "127.0.0.1, 65535",
        "::1, 16",
        "::1, 65535",
    })
    void dataComesBackVerified(String address, String size) {
        try (Running server = Running.start("rping", "-s", "-a", address, "-p", "0", "-V", "-v")) {
            String port = server.awaitPort();
            Running.Ended client =
                    Running.run("rping", "-c", "-a", address, "-p", port, "-C", "20", "-S", size, "-V", "-v");
            assertThat(client.exitCode()).as(client.err()).isZero();
            Running.Ended served = server.await();
            assertThat(served.exitCode()).as(served.err()).isZero();
            assertThat(client.out().lines()).hasSize(20).allMatch(line -> line.startsWith("ping data: rdma-ping-"));
            assertThat(served.out().lines())
                    .containsExactlyElementsOf(
                            client.out().lines().map(line -> "server " + line).toList());
        }
    }

    @Test
    void outputIsThatOfTheCTool() {
        try (Running server = Running.start("rping", "-s", "-a", "127.0.0.1", "-p", "0", "-v")) {
            String port = server.awaitPort();
            Running.Ended client = Running.run("rping", "-cvV", "-a127.0.0.1", "-p" + port, "-C2", "-S30");
            assertThat(client.out()).isEqualToNormalizingNewlines("""
                    ping data: rdma-ping-0: ABCDEFGHIJKLMNOP
                    ping data: rdma-ping-1: BCDEFGHIJKLMNOPQ
                    """);
            assertThat(client.err()).isEqualToNormalizingNewlines("client DISCONNECT EVENT...\n");
            Running.Ended served = server.await();
            assertThat(served.out()).isEqualToNormalizingNewlines("""
                    server ping data: rdma-ping-0: ABCDEFGHIJKLMNOP
                    server ping data: rdma-ping-1: BCDEFGHIJKLMNOPQ
                    """);
            assertThat(served.err()).endsWith("server DISCONNECT EVENT..." + System.lineSeparator());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--no-crc", "--crc", "--markers", "--peer-to-peer", "--mpa-revision 2", "-q", "--bind 127.0.0.1"
            })
    void optionsOfTheConnectionWork(String option) {
        try (Running server = Running.start("rping", "-s", "-a", "127.0.0.1", "-p", "0", "-V", "--no-crc")) {
            List<String> line = new ArrayList<>(
                    List.of("rping", "-c", "-a", "127.0.0.1", "-p", server.awaitPort(), "-C", "3", "-V"));
            line.addAll(List.of(option.split(" ")));
            Running.Ended client = Running.run(line.toArray(String[]::new));
            assertThat(client.exitCode()).as(client.err()).isZero();
            assertThat(server.await().exitCode()).isZero();
        }
    }

    @Test
    void aPersistentServerServesClientsAtOnceAndOneAfterAnother() {
        try (Running server = Running.start("rping", "-s", "-P", "-a", "127.0.0.1", "-p", "0", "-V")) {
            String port = server.awaitPort();
            List<Running> clients = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                clients.add(
                        Running.start("rping", "-c", "-a", "127.0.0.1", "-p", port, "-C", "50", "-S", "1000", "-V"));
            }
            for (Running client : clients) {
                Running.Ended ended = client.await();
                assertThat(ended.exitCode()).as(ended.err()).isZero();
            }
            Running.Ended again =
                    Running.run("rping", "-c", "-a", "127.0.0.1", "-p", port, "-C", "2", "-V", "--connections", "25");
            assertThat(again.exitCode()).as(again.err()).isZero();
            assertThat(again.err()).contains("25 connections, 50 pings");
        }
    }

    @Test
    void aServerThatSomebodyFailsGoesOnWithTheOthers() throws Exception {
        try (Running server = Running.start("rping", "-s", "-P", "-a", "127.0.0.1", "-p", "0", "-S", "64")) {
            String port = server.awaitPort();
            Running.Ended tooLarge = Running.run("rping", "-c", "-a", "127.0.0.1", "-p", port, "-C", "1", "-S", "65");
            assertThat(tooLarge.exitCode()).isEqualTo(1);
            assertThat(server.awaitErr("(.*larger than.*)"))
                    .contains("65 bytes is larger than the server's of 64: give the server -S 65");
            Running.Ended fits = Running.run("rping", "-c", "-a", "127.0.0.1", "-p", port, "-C", "1", "-S", "64");
            assertThat(fits.exitCode()).as(fits.err()).isZero();
        }
    }

    @Test
    void theOneClientOfAServerDecidesItsExitCode() {
        try (Running server = Running.start("rping", "-s", "-a", "127.0.0.1", "-p", "0", "-S", "64")) {
            Running.Ended client =
                    Running.run("rping", "-c", "-a", "127.0.0.1", "-p", server.awaitPort(), "-C", "1", "-S", "65");
            assertThat(client.exitCode()).isEqualTo(1);
            assertThat(client.err())
                    .contains("the server disconnected after 0 of 1 pings")
                    .doesNotContain("\tat ");
            assertThat(server.await().exitCode()).isEqualTo(1);
        }
    }

    @Test
    void nobodyListeningExitsWithThree() {
        String port;
        try (Running server = Running.start("rping", "-s", "-a", "127.0.0.1", "-p", "0")) {
            port = server.awaitPort();
            Running.run("rping", "-c", "-a", "127.0.0.1", "-p", port, "-C", "1");
            server.await();
        }
        Running.Ended client = Running.run("rping", "-c", "-a", "127.0.0.1", "-p", port, "-C", "1");
        assertThat(client.exitCode()).isEqualTo(3);
        assertThat(client.err()).contains("127.0.0.1:" + port).doesNotContain("\tat ");
    }

    @Test
    void aPortThatIsTakenIsNamed() {
        try (Running first = Running.start("rping", "-s", "-a", "127.0.0.1", "-p", "0")) {
            String port = first.awaitPort();
            Running.Ended second = Running.run("rping", "-s", "-a", "127.0.0.1", "-p", port);
            assertThat(second.exitCode()).isEqualTo(1);
            assertThat(second.err()).contains("127.0.0.1", port).doesNotContain("\tat ");
        }
    }

    @Test
    void anAddressThatThisHostDoesNotHaveIsNamed() {
        Running.Ended server = Running.run("rping", "-s", "-a", "192.0.2.1", "-p", "0");
        assertThat(server.exitCode()).isEqualTo(1);
        assertThat(server.err()).contains("192.0.2.1").doesNotContain("\tat ");
        Running.Ended client =
                Running.run("rping", "-c", "-a", "127.0.0.1", "-p", "7174", "--bind", "192.0.2.1", "-C", "1");
        assertThat(client.exitCode()).isEqualTo(3);
        assertThat(client.err()).contains("192.0.2.1").doesNotContain("\tat ");
    }

    @Test
    void jsonIsAllThatStandardOutputHas() {
        try (Running server = Running.start("rping", "-s", "-a", "127.0.0.1", "-p", "0", "--json")) {
            Running.Ended client = Running.run(
                    "rping", "-c", "-a", "127.0.0.1", "-p", server.awaitPort(), "-C", "3", "-v", "-V", "--json");
            assertThat(client.exitCode()).as(client.err()).isZero();
            assertThat(client.out())
                    .startsWith("{")
                    .contains("\"role\": \"client\"", "\"transport\": \"iwarp\"", "\"pings\": 3", "\"size\": 64")
                    .contains("\"validated\": true")
                    .doesNotContain("ping data");
            assertThat(client.err()).contains("ping data: rdma-ping-2: ");
            assertThat(server.await().out()).contains("\"role\": \"server\"", "\"pings\": 3");
        }
    }
}
