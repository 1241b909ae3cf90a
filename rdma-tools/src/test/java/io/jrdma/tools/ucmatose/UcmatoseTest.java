package io.jrdma.tools.ucmatose;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.cm.RdmaClient;
import io.jrdma.tools.Running;
import io.jrdma.verbs.Transport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UcmatoseTest {
    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, 1, 10, 100",
        "127.0.0.1, 5, 4, 20000",
        "127.0.0.1, 1, 0, 100",
        "::1, 2, 3, 0",
        "::1, 3, 2, 1"
    })
    void messagesGoThereAndBack(String address, String connections, String count, String size) {
        try (Running server =
                Running.start("ucmatose", "-b", address, "-p", "0", "-c", connections, "-C", count, "-S", size)) {
            Running.Ended client = Running.run(
                    "ucmatose", "-s", address, "-p", server.awaitPort(), "-c", connections, "-C", count, "-S", size);
            assertThat(client.exitCode()).as(client.err()).isZero();
            Running.Ended served = server.await();
            assertThat(served.exitCode()).as(served.err()).isZero();
            assertThat(served.out()).endsWith("return status 0" + System.lineSeparator());
        }
    }

    @Test
    void outputIsThatOfTheCTool() {
        try (Running server = Running.start("ucmatose", "-b", "127.0.0.1", "-p", "0")) {
            Running.Ended client = Running.run("ucmatose", "-s", "127.0.0.1", "-p", server.awaitPort());
            assertThat(client.out()).isEqualToNormalizingNewlines("""
                    cmatose: starting client
                    cmatose: connecting
                    receiving data transfers
                    sending replies
                    data transfers complete
                    test complete
                    return status 0
                    """);
            assertThat(server.await().out()).isEqualToNormalizingNewlines("""
                    cmatose: starting server
                    initiating data transfers
                    completing sends
                    receiving data transfers
                    data transfers complete
                    cmatose: disconnecting
                    disconnected
                    test complete
                    return status 0
                    """);
        }
    }

    /** The server holds its messages back until the client has sent one, so none has gone when the client leaves. */
    @Test
    void clientThatLeavesBeforeTheMessagesHaveGoneIsNamed() throws Exception {
        try (Running server =
                Running.start("ucmatose", "-b", "127.0.0.1", "-p", "0", "--first-message-grace", "10000")) {
            int port = Integer.parseInt(server.awaitPort());
            RdmaClient.connect(Transport.IWARP, "127.0.0.1", port).close();
            Running.Ended ended = server.await();
            assertThat(ended.exitCode()).isEqualTo(1);
            assertThat(ended.err())
                    .contains("jrdma ucmatose: the peer disconnected before all 10 messages had gone")
                    .doesNotContain("internal error");
        }
    }

    @Test
    void aSecondConnectionOfARunOfOneIsRejected() {
        try (Running server = Running.start("ucmatose", "-b", "127.0.0.1", "-p", "0")) {
            Running.Ended client =
                    Running.run("ucmatose", "-s", "127.0.0.1", "-p", server.awaitPort(), "-c", "2", "--timeout", "2");
            assertThat(client.exitCode()).isEqualTo(3);
            // the server may have closed its port by then
            assertThat(client.err())
                    .containsPattern("event: RDMA_CM_EVENT_REJECTED|nobody listens at port")
                    .doesNotContain("\tat ");
        }
    }
}
