package io.jrdma.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients of a server that is not there say all the same, and servers that cannot listen end all the same. */
class NobodyThereTest {
    @ParameterizedTest
    @ValueSource(strings = {"rping -c -a", "ucmatose -s", "rdma-client -s"})
    void silenceIsToldInOneText(String client) {
        RocePorts ports = RocePorts.choose();
        String line = client + " 127.0.0.9 -p 7174 --timeout 1 --transport roce";
        Running.Ended ended = Running.run(ports.ofClient(line.split(" ")));
        assertThat(ended.exitCode()).as(ended.err()).isEqualTo(3);
        assertThat(ended.err())
                .contains("127.0.0.9:7174 (RoCE, UDP port " + ports.server()
                        + "): nobody answered for 1 s; is a server running there")
                .doesNotContain("\tat ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rping -c -a", "ucmatose -s", "rdma-client -s"})
    void aHostWithoutSuchAServiceIsTold(String client) {
        RocePorts ports = RocePorts.choose();
        try (Running server =
                Running.start(ports.ofServer("rdma-server", "--transport", "roce", "-b", "127.0.0.1", "-p", "0"))) {
            String other = server.awaitPort().equals("1") ? "2" : "1";
            String line = client + " 127.0.0.1 --transport roce -p " + other;
            Running.Ended ended = Running.run(ports.ofClient(line.split(" ")));
            assertThat(ended.exitCode()).as(ended.err()).isEqualTo(3);
            assertThat(ended.err())
                    .contains("127.0.0.1:" + other, "the host answers, but nobody listens at port " + other)
                    .contains("(REJ with reason 8, INVALID_SERVICE_ID)");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rping -c -a 127.0.0.1", "ucmatose -s 127.0.0.1", "rdma-client", "rc-pingpong 127.0.0.1"})
    void aPortThatNobodyListensAtIsTold(String client) throws IOException {
        int free;
        try (ServerSocket gone = new ServerSocket(0)) {
            free = gone.getLocalPort();
        }
        Running.Ended ended = Running.run((client + " -p " + free).split(" "));
        assertThat(ended.exitCode()).as(ended.err()).isEqualTo(3);
        assertThat(ended.err())
                .contains("127.0.0.1:" + free, "the host answers, but nobody listens at port " + free)
                .contains("(ECONNREFUSED, connection refused)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"rping -s -a 127.0.0.1", "ucmatose -b 127.0.0.1", "rdma-server -b 127.0.0.1", "rc-pingpong"})
    void aServerWhosePortIsTakenHasFailed(String server) throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            Running.Ended ended = Running.run((server + " -p " + taken.getLocalPort()).split(" "));
            assertThat(ended.exitCode()).as(ended.err()).isEqualTo(1);
            assertThat(ended.err()).contains("" + taken.getLocalPort()).doesNotContain("\tat ");
        }
    }

    @Test
    void allAddressesAreNoneOfAQueuePair() {
        Running.Ended ended = Running.run("rc-pingpong", "--bind", "0.0.0.0", "-p", "0");
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.err())
                .contains("--bind 0.0.0.0: a queue pair needs one address")
                .doesNotContain("listening");
    }

    @Test
    void pingpongFindsAnAddressBesideTheServersOwn() {
        RocePorts ports = RocePorts.choose();
        String port = "" + ports.server();
        try (Running server =
                Running.start("rc-pingpong", "--bind", "127.0.0.1", "-p", "0", "-n", "5", "--roce-port", port)) {
            Running.Ended client = Running.run(
                    "rc-pingpong", "127.0.0.1", "-p", server.awaitPort(), "-n", "5", "-c", "--roce-port", port);
            assertThat(client.exitCode()).as(client.err()).isZero();
            assertThat(server.await().exitCode()).isZero();
        }
    }
}
