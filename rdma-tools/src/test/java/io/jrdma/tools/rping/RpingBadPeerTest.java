package io.jrdma.tools.rping;

import static io.jrdma.tools.rping.RpingCapture.MESSAGE;
import static io.jrdma.tools.rping.RpingCapture.SINK_STAG;
import static io.jrdma.tools.rping.RpingCapture.SOURCE_STAG;
import static io.jrdma.tools.rping.RpingCapture.TAGGED_STAG;
import static io.jrdma.tools.rping.RpingCapture.copyTag;
import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.tools.Running;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Peers that do not do what rping does: each is noticed, named, and ends in the right exit code. */
class RpingBadPeerTest {
    private static final int LIMIT_MS = 20_000;
    private static final RpingCapture CAPTURE = new RpingCapture("siw-rping");

    private interface Play {
        void with(DataInputStream in, OutputStream out) throws IOException;
    }

    @Test
    void dataThatComesBackChangedIsAMismatch() throws Exception {
        Running.Ended client = clientAgainst((in, out) -> {
            byte[] write = answerUpToTheWrite(in, out);
            write[16 + 50] ^= 1;
            out.write(write);
            out.write(CAPTURE.ofServer(0, 3));
            drain(in);
        });
        assertThat(client.exitCode()).isEqualTo(1);
        assertThat(client.err()).contains("data mismatch in ping 0 at byte 50").doesNotContain("\tat ");
        assertThat(client.out()).isEmpty();
    }

    @Test
    void dataThatDoesNotComeBackIsAMismatch() throws Exception {
        Running.Ended client = clientAgainst((in, out) -> {
            answerUpToTheWrite(in, out);
            out.write(CAPTURE.ofServer(0, 3));
            drain(in);
        });
        assertThat(client.exitCode()).isEqualTo(1);
        assertThat(client.err()).contains("data mismatch in ping 0 at byte 0");
    }

    @Test
    void aServerThatLeavesEarlyFailsTheClient() throws Exception {
        Running.Ended client = clientAgainst((in, out) -> {
            out.write(answerUpToTheWrite(in, out));
            out.write(CAPTURE.ofServer(0, 3));
            RpingCapture.read(in);
        });
        assertThat(client.exitCode()).isEqualTo(1);
        assertThat(client.err()).contains("the server disconnected after 1 of 5 pings");
    }

    @Test
    void aServerThatFallsSilentIsGivenUp() throws Exception {
        Running.Ended client = clientAgainst((in, out) -> {
            out.write(CAPTURE.reply());
            drain(in);
        });
        assertThat(client.exitCode()).isEqualTo(1);
        assertThat(client.err()).contains("in 1 s");
    }

    @Test
    void aMessageOfAnotherLengthIsNamed() throws Exception {
        Running.Ended client = clientAgainst((in, out) -> {
            out.write(CAPTURE.reply());
            RpingCapture.read(in);
            byte[] goAhead = CAPTURE.ofServer(0, 1);
            byte[] shorter = Arrays.copyOf(goAhead, goAhead.length - 4);
            shorter[1] -= 4;
            out.write(shorter);
            drain(in);
        });
        assertThat(client.exitCode()).isEqualTo(1);
        assertThat(client.err()).contains("a message of 12 bytes; rping's have 16");
    }

    @Test
    void aRejectionExitsWithThree() throws Exception {
        Running.Ended client = clientAgainst((in, out) -> {
            byte[] reply = CAPTURE.reply();
            reply[16] |= 0x20;
            out.write(reply);
            drain(in);
        });
        assertThat(client.exitCode()).isEqualTo(3);
        assertThat(client.err())
                .contains("RDMA_CM_EVENT_REJECTED", "127.0.0.1:")
                .doesNotContain("\tat ");
    }

    @Test
    void aPeerThatIsNoMpaPeerExitsWithThree() throws Exception {
        Running.Ended client = clientAgainst((in, out) -> {
            out.write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            drain(in);
        });
        assertThat(client.exitCode()).isEqualTo(3);
        assertThat(client.err())
                .contains("RDMA_CM_EVENT_CONNECT_ERROR", "127.0.0.1:")
                .doesNotContain("\tat ");
    }

    @Test
    void aPeerThatNeverRepliesExitsWithThree() throws Exception {
        Running.Ended client = clientAgainst((in, out) -> drain(in));
        assertThat(client.exitCode()).isEqualTo(3);
        assertThat(client.err()).contains("127.0.0.1:");
    }

    @Test
    void theServerChecksWhatItReads() throws Exception {
        Running.Ended server = serverAgainst((in, out) -> {
            byte[] response = answerTheRead(in, out);
            response[16 + 3] ^= 1;
            out.write(response);
            drain(in);
        });
        assertThat(server.exitCode()).isEqualTo(1);
        assertThat(server.err()).contains("data mismatch in ping 0 at byte 3").doesNotContain("\tat ");
    }

    @Test
    void aClientThatLeavesInTheMiddleFailsTheServer() throws Exception {
        Running.Ended server = serverAgainst((in, out) -> {
            out.write(answerTheRead(in, out));
            RpingCapture.read(in);
        });
        assertThat(server.exitCode()).isEqualTo(1);
        assertThat(server.err()).contains("the client disconnected in the middle of ping 0");
    }

    @Test
    void aClientThatFallsSilentIsGivenUpWhereAsked() throws Exception {
        Running.Ended server = serverAgainst(
                (in, out) -> {
                    out.write(answerTheRead(in, out));
                    drain(in);
                },
                "--timeout",
                "1");
        assertThat(server.exitCode()).isEqualTo(1);
        assertThat(server.err()).contains("in 1 s");
    }

    @Test
    void aClientThatLeavesAtOnceHasDoneWhatItWanted() throws Exception {
        Running.Ended server = serverAgainst((in, out) -> {
            out.write(CAPTURE.request());
            in.readNBytes(CAPTURE.reply().length);
        });
        assertThat(server.exitCode()).as(server.err()).isZero();
    }

    @Test
    void aStrangerDoesNotUseUpTheOneClientOfAServer() throws Exception {
        try (Running server = startServer()) {
            int port = Integer.parseInt(server.awaitPort());
            try (Socket stranger = new Socket(InetAddress.getLoopbackAddress(), port)) {
                stranger.setSoTimeout(LIMIT_MS);
                stranger.getOutputStream().write("GET / HTTP/1.1\r\n\r\n\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(stranger.getInputStream().read()).isEqualTo(-1);
            }
            Running.Ended client =
                    Running.run("rping", "-c", "-a", "127.0.0.1", "-p", String.valueOf(port), "-C", "1", "-V");
            assertThat(client.exitCode()).as(client.err()).isZero();
            assertThat(server.await().exitCode()).isZero();
        }
    }

    /** Reads up to the end of the stream, which may be a reset. */
    private static void drain(DataInputStream in) {
        try {
            in.readAllBytes();
        } catch (IOException reset) {
            // as good an end as any
        }
    }

    /** Plays the server up to the Write, which it returns, aimed at the client's sink. */
    private static byte[] answerUpToTheWrite(DataInputStream in, OutputStream out) throws IOException {
        out.write(CAPTURE.reply());
        byte[] readRequest = CAPTURE.ofServer(0, 0);
        putTag(RpingCapture.read(in), readRequest, SOURCE_STAG);
        out.write(readRequest);
        RpingCapture.read(in);
        out.write(CAPTURE.ofServer(0, 1));
        byte[] write = CAPTURE.ofServer(0, 2);
        putTag(RpingCapture.read(in), write, TAGGED_STAG);
        return write;
    }

    private static void putTag(byte[] message, byte[] frame, int at) {
        ByteBuffer from = ByteBuffer.wrap(message);
        ByteBuffer.wrap(frame).putInt(at, from.getInt(MESSAGE + 8)).putLong(at + 4, from.getLong(MESSAGE));
    }

    /** Plays the client up to the Read Response, which it returns, aimed at the server's sink. */
    private static byte[] answerTheRead(DataInputStream in, OutputStream out) throws IOException {
        out.write(CAPTURE.request());
        in.readNBytes(CAPTURE.reply().length);
        out.write(CAPTURE.ofClient(0, 0));
        byte[] response = CAPTURE.ofClient(0, 1);
        copyTag(RpingCapture.read(in), SINK_STAG, response, TAGGED_STAG);
        return response;
    }

    private static Running.Ended clientAgainst(Play server) throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Running client = Running.start(
                        "rping",
                        "-c",
                        "-a",
                        "127.0.0.1",
                        "-p",
                        String.valueOf(listener.getLocalPort()),
                        "-C",
                        "5",
                        "-S",
                        "100",
                        "-V",
                        "--no-crc",
                        "--timeout",
                        "1")) {
            listener.setSoTimeout(LIMIT_MS);
            try (Socket socket = listener.accept()) {
                socket.setSoTimeout(LIMIT_MS);
                DataInputStream in = new DataInputStream(socket.getInputStream());
                in.readNBytes(CAPTURE.request().length);
                server.with(in, socket.getOutputStream());
            }
            return client.await();
        }
    }

    private static Running startServer(String... options) {
        List<String> line = new ArrayList<>(List.of("rping", "-s", "-a", "127.0.0.1", "-p", "0", "-V", "--no-crc"));
        line.addAll(List.of(options));
        return Running.start(line.toArray(String[]::new));
    }

    private static Running.Ended serverAgainst(Play client, String... options) throws Exception {
        try (Running server = startServer(options)) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(server.awaitPort()))) {
                socket.setSoTimeout(LIMIT_MS);
                client.with(new DataInputStream(socket.getInputStream()), socket.getOutputStream());
            }
            return server.await();
        }
    }
}
