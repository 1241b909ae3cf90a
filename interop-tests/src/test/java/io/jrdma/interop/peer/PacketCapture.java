package io.jrdma.interop.peer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The frames that pass the bridge between our side and the guests, written to a pcap file until closed. */
final class PacketCapture implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final PeerProcess tcpdump;
    private final Path file;

    private PacketCapture(PeerProcess tcpdump, Path file) {
        this.tcpdump = tcpdump;
        this.file = file;
    }

    /** Starts a capture; what is sent from now on is in it. */
    static PacketCapture start(PeerNamespace namespace, Path file) {
        // Without immediate mode the last frames are lost when tcpdump is ended. It would also change its user.
        PeerProcess tcpdump = namespace.start(
                "tcpdump",
                List.of(
                        "tcpdump",
                        "-i",
                        "br0",
                        "-n",
                        "-U",
                        "--immediate-mode",
                        "-B",
                        "16384",
                        "-Z",
                        "root",
                        "-w",
                        file.toString()));
        try {
            tcpdump.awaitOutput("listening on", LIMIT);
        } catch (Throwable t) {
            tcpdump.close();
            throw t;
        }
        return new PacketCapture(tcpdump, file);
    }

    Path file() {
        return file;
    }

    /** Ends the capture, and leaves the file. */
    @Override
    public void close() {
        tcpdump.close();
    }

    /** Ends the capture, and removes the file. */
    void discard() {
        close();
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
