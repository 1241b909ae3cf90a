package io.jrdma.tools.pingpong;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.tools.RocePorts;
import io.jrdma.tools.Running;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Our client against our server, in one process. */
class RcPingpongTest {
    private static final String PAIR =
            "  (local|remote) address: +LID 0x0000, QPN 0x[0-9a-f]{6}, PSN 0x[0-9a-f]{6}, GID \\S+";

    private final RocePorts ports = RocePorts.choose();

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, 1024, 4096, 100, -i 1 -g 3 -l 5",
        "127.0.0.1, 256, 1, 50, -e",
        "127.0.0.1, 4096, 1048576, 5, ''",
        "::1, 2048, 100000, 10, -e",
    })
    void messagesComeBackVerified(String address, String mtu, String size, String count, String more) {
        String[] rest = ("-m " + mtu + " -s " + size + " -n " + count + " " + more)
                .strip()
                .split(" ");
        try (Running server = Running.start(ports.ofServer(join(rest, "rc-pingpong", "--bind", address, "-p", "0")))) {
            Running.Ended client = Running.run(ports.ofClient(
                    join(rest, "rc-pingpong", address, "-c", "--linger", "0", "-p", server.awaitPort())));
            assertThat(client.exitCode()).as(client.err()).isZero();
            assertThat(client.out().lines().toList().get(0)).matches(PAIR);
            assertThat(client.out().lines().toList().get(1)).matches(PAIR);
            assertThat(client.out()).contains(count + " iters in ");
            Running.Ended served = server.await();
            assertThat(served.exitCode()).as(served.err()).isZero();
            assertThat(served.out()).contains(count + " iters in ");
        }
    }

    /** As against the C tool, which listens on IPv4 alone whatever family its queue pair uses. */
    @Test
    void addressesAreExchangedOverAnotherFamily() {
        try (Running server =
                Running.start(ports.ofServer("rc-pingpong", "--bind", "::1", "-n", "5", "-s", "100", "-p", "0"))) {
            Running.Ended client = Running.run(ports.ofClient(
                    "rc-pingpong",
                    "127.0.0.1",
                    "--bind",
                    "::1",
                    "-n",
                    "5",
                    "-s",
                    "100",
                    "-c",
                    "--linger",
                    "0",
                    "-p",
                    server.awaitPort()));
            assertThat(client.exitCode()).as(client.err()).isZero();
            assertThat(client.out()).contains("5 iters in ");
            assertThat(server.await().exitCode()).isZero();
        }
    }

    @Test
    void aServerThatIsNoPingpongIsNamed() throws IOException {
        try (ServerSocket web = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> {
                try (Socket client = web.accept()) {
                    client.getOutputStream()
                            .write("HTTP/1.1 400 Bad Request\r\n".repeat(4).getBytes(StandardCharsets.US_ASCII));
                    client.getInputStream().readAllBytes();
                } catch (IOException ended) {
                    throw new AssertionError(ended);
                }
            });
            Running.Ended client =
                    Running.run(ports.ofClient("rc-pingpong", "127.0.0.1", "-p", "" + web.getLocalPort()));
            assertThat(client.exitCode()).isEqualTo(3);
            assertThat(client.err()).contains("HTTP/1.1 400", "LID:QPN:PSN:GID").doesNotContain("\tat ");
        }
    }

    @Test
    void nobodyListeningExitsWithThree() throws IOException {
        int free;
        try (ServerSocket gone = new ServerSocket(0)) {
            free = gone.getLocalPort();
        }
        Running.Ended client = Running.run(ports.ofClient("rc-pingpong", "127.0.0.1", "-p", "" + free));
        assertThat(client.exitCode()).isEqualTo(3);
        assertThat(client.err()).contains("127.0.0.1:" + free).doesNotContain("\tat ");
    }

    @ParameterizedTest
    @CsvSource({
        "-m 1000, -m 1000: allowed are 256",
        "-s 0, -s 0 is outside 1..",
        "-n 0, -n 0 is outside 1..",
        "-i 2, -i 2 is outside 1..1",
        "-g -1, -g -1 is outside 0..",
        "-l 16, -l 16 is outside 0..15",
        "-l 99999999999, -l 99999999999 is not a whole number of 0..15",
        "-d rxe0, -d of ibv_rc_pingpong is not available: devices have no names",
        "--ib-dev=rxe0, -d of ibv_rc_pingpong is not available: devices have no names",
        "-o, -o of ibv_rc_pingpong is not available",
        "-O, -O of ibv_rc_pingpong is not available",
        "-P, -P of ibv_rc_pingpong is not available",
        "-t, -t of ibv_rc_pingpong is not available",
        "-j, -j of ibv_rc_pingpong is not available",
        "-N, -N of ibv_rc_pingpong is not available",
    })
    void wrongUsageIsNamed(String option, String named) {
        Running.Ended ended = Running.run(join(option.split(" "), "rc-pingpong"));
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.err())
                .contains(named)
                .contains("Try 'jrdma rc-pingpong --help'.")
                .hasLineCount(2);
        assertThat(ended.out()).isEmpty();
    }

    @Test
    void helpSaysWhatHasNoEffectAndWhatIsMissing() {
        String help = Running.run("rc-pingpong", "--help").out();
        assertThat(help).contains("-i, --ib-port", "-g, --gid-idx", "-l, --sl", "No effect here");
        assertThat(help).contains("Not available of ibv_rc_pingpong: -d", "-o", "-t", "-j", "-N");
    }

    private static String[] join(String[] rest, String... first) {
        String[] all = Arrays.copyOf(first, first.length + rest.length);
        System.arraycopy(rest, 0, all, first.length, rest.length);
        return all;
    }
}
