package io.jrdma.tools.rping;

import static io.jrdma.tools.rping.RpingCapture.MESSAGE;
import static io.jrdma.tools.rping.RpingCapture.SINK_STAG;
import static io.jrdma.tools.rping.RpingCapture.SOURCE_STAG;
import static io.jrdma.tools.rping.RpingCapture.TAGGED_STAG;
import static io.jrdma.tools.rping.RpingCapture.copyTag;
import static io.jrdma.tools.rping.RpingCapture.without;
import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.tools.Running;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The C rping's own bytes, as one kernel peer sent them to another, against our command in the other one's place. Ours has to answer with
 * the other one's bytes: all but keys and addresses of memory, which each side chooses for itself.
 */
class RpingReplayTest {
    private static final int LIMIT_MS = 20_000;

    @ParameterizedTest
    @CsvSource({"siw-rping, 127.0.0.1, 100", "siw-rping6, ::1, 64"})
    void theServerAnswersTheBytesOfTheCClient(String name, String address, String size) throws Exception {
        RpingCapture capture = new RpingCapture(name);
        try (Running server =
                Running.start("rping", "-s", "-a", address, "-p", "0", "-S", size, "-v", "-V", "--no-crc")) {
            try (Socket socket = new Socket(InetAddress.getByName(address), Integer.parseInt(server.awaitPort()))) {
                socket.setSoTimeout(LIMIT_MS);
                playClient(capture, new DataInputStream(socket.getInputStream()), socket.getOutputStream());
            }
            Running.Ended ended = server.await();
            assertThat(ended.exitCode()).as(ended.err()).isZero();
            assertThat(ended.out().lines())
                    .containsExactlyElementsOf(lines("server ping data: ", capture.pings(), Integer.parseInt(size)));
        }
    }

    private static void playClient(RpingCapture capture, DataInputStream in, OutputStream out) throws IOException {
        out.write(capture.request());
        assertThat(in.readNBytes(capture.reply().length)).as("MPA reply").isEqualTo(capture.reply());
        for (int ping = 0; ping < capture.pings(); ping++) {
            out.write(capture.ofClient(ping, 0));
            byte[] readRequest = RpingCapture.read(in);
            assertThat(without(readRequest, SINK_STAG, 12))
                    .as("Read Request %d", ping)
                    .isEqualTo(without(capture.ofServer(ping, 0), SINK_STAG, 12));
            byte[] response = capture.ofClient(ping, 1);
            copyTag(readRequest, SINK_STAG, response, TAGGED_STAG);
            out.write(response);
            assertSame(in, capture.ofServer(ping, 1), "first go-ahead " + ping);
            out.write(capture.ofClient(ping, 2));
            assertSame(in, capture.ofServer(ping, 2), "Write " + ping);
            assertSame(in, capture.ofServer(ping, 3), "second go-ahead " + ping);
        }
    }

    @ParameterizedTest
    @CsvSource({"siw-rping, 127.0.0.1, 100", "siw-rping6, ::1, 64"})
    void theClientAnswersTheBytesOfTheCServer(String name, String address, String size) throws Exception {
        RpingCapture capture = new RpingCapture(name);
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getByName(address));
                Running client = Running.start(
                        "rping",
                        "-c",
                        "-a",
                        address,
                        "-p",
                        String.valueOf(listener.getLocalPort()),
                        "-C",
                        String.valueOf(capture.pings()),
                        "-S",
                        size,
                        "-v",
                        "-V",
                        "--no-crc")) {
            listener.setSoTimeout(LIMIT_MS);
            try (Socket socket = listener.accept()) {
                socket.setSoTimeout(LIMIT_MS);
                DataInputStream in = new DataInputStream(socket.getInputStream());
                playServer(capture, in, socket.getOutputStream());
                assertThat(in.read()).as("end of the client's stream").isEqualTo(-1);
            }
            Running.Ended ended = client.await();
            assertThat(ended.exitCode()).as(ended.err()).isZero();
            assertThat(ended.out().lines())
                    .containsExactlyElementsOf(lines("ping data: ", capture.pings(), Integer.parseInt(size)));
        }
    }

    private static void playServer(RpingCapture capture, DataInputStream in, OutputStream out) throws IOException {
        assertThat(in.readNBytes(capture.request().length)).as("MPA request").isEqualTo(capture.request());
        out.write(capture.reply());
        for (int ping = 0; ping < capture.pings(); ping++) {
            byte[] source = readMessage(in, capture.ofClient(ping, 0), "source of ping " + ping);
            byte[] readRequest = capture.ofServer(ping, 0);
            putTag(source, readRequest, SOURCE_STAG);
            out.write(readRequest);
            assertSame(in, capture.ofClient(ping, 1), "Read Response " + ping);
            out.write(capture.ofServer(ping, 1));
            byte[] sink = readMessage(in, capture.ofClient(ping, 2), "sink of ping " + ping);
            byte[] write = capture.ofServer(ping, 2);
            putTag(sink, write, TAGGED_STAG);
            out.write(write);
            out.write(capture.ofServer(ping, 3));
        }
    }

    /** A message of rping has the address before the key; every frame has it the other way round. */
    private static void putTag(byte[] message, byte[] frame, int at) {
        ByteBuffer from = ByteBuffer.wrap(message);
        ByteBuffer.wrap(frame).putInt(at, from.getInt(MESSAGE + 8)).putLong(at + 4, from.getLong(MESSAGE));
    }

    private static byte[] readMessage(DataInputStream in, byte[] expected, String what) throws IOException {
        byte[] message = RpingCapture.read(in);
        assertThat(without(message, MESSAGE, 12)).as(what).isEqualTo(without(expected, MESSAGE, 12));
        return message;
    }

    private static void assertSame(DataInputStream in, byte[] expected, String what) throws IOException {
        assertThat(without(RpingCapture.read(in), 0, 0)).as(what).isEqualTo(without(expected, 0, 0));
    }

    private static Iterable<String> lines(String label, int pings, int size) {
        return IntStream.range(0, pings)
                .mapToObj(ping -> {
                    MemorySegment data = MemorySegment.ofArray(new byte[size]);
                    PingPattern.fill(data, ping);
                    return label + PingPattern.text(data);
                })
                .toList();
    }
}
