package io.jrdma.interop.peer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.InterruptedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Our end of a guest's command port: the protocol of {@code interop-tests/guest/agent} over the guest's second serial line,
 * which qemu shows as a Unix socket. One command at a time.
 */
final class GuestChannel implements AutoCloseable {
    /** How long after a command's own limit its answer may take: the guest is slow where the machine is busy. */
    private static final Duration GRACE = Duration.ofSeconds(30);

    /** Longer lines are lost in the guest's terminal buffer. */
    private static final int SCRIPT_MAX = 32 * 1024;

    private static final String END_OF_STREAM = "";

    private final SocketChannel socket;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private long commands;

    private GuestChannel(SocketChannel socket) {
        this.socket = socket;
        Thread.ofPlatform().daemon().name("guest channel").start(this::readLines);
    }

    static GuestChannel connect(Path path) throws IOException {
        SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            socket.connect(UnixDomainSocketAddress.of(path));
        } catch (IOException e) {
            socket.close();
            throw e;
        }
        return new GuestChannel(socket);
    }

    /** Waits until the guest takes commands. */
    void awaitReady(Duration limit) throws IOException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!nextLine(deadline, "the guest's greeting").equals("agent:ready")) {
            // What came before is the terminal's echo.
        }
    }

    /**
     * Runs a script in the guest's shell.
     *
     * @param limit whole seconds, at least one; at the limit the guest ends the script and what it started in the
     *     foreground
     * @throws IOException if the guest does not answer in time or is gone
     */
    synchronized Outcome run(String script, Duration limit) throws IOException {
        String encoded = Base64.getEncoder().encodeToString(script.getBytes(StandardCharsets.UTF_8));
        if (encoded.length() > SCRIPT_MAX) {
            throw new IllegalArgumentException("a script of " + script.length() + " characters is too long");
        }
        String mark = "c" + ++commands;
        String end = mark + ":end:";
        ByteBuffer command = ByteBuffer.wrap((mark + " " + Math.max(1, limit.toSeconds()) + " " + encoded + "\n")
                .getBytes(StandardCharsets.US_ASCII));
        while (command.hasRemaining()) {
            socket.write(command);
        }
        long deadline = System.nanoTime() + limit.plus(GRACE).toNanos();
        StringBuilder output = new StringBuilder();
        String what = "the end of '" + script + "'";
        while (!nextLine(deadline, what).equals(mark + ":begin")) {
            // Left over from a command that was given up.
        }
        String line = nextLine(deadline, what);
        while (!line.startsWith(end)) {
            output.append(line);
            line = nextLine(deadline, what);
        }
        String printed = new String(Base64.getDecoder().decode(output.toString()), StandardCharsets.UTF_8);
        return new Outcome(script, Integer.parseInt(line.substring(end.length())), printed);
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // Nothing more is expected of it.
        }
    }

    private String nextLine(long deadline, String what) throws IOException {
        String line;
        try {
            line = lines.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for " + what);
        }
        if (line == null) {
            throw new IOException(what + " did not come in time");
        }
        if (line.equals(END_OF_STREAM)) {
            lines.add(END_OF_STREAM);
            throw new IOException("the guest ended before " + what);
        }
        return line;
    }

    private void readLines() {
        try (InputStream in = Channels.newInputStream(socket);
                BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (!line.isBlank()) {
                    lines.add(line.strip());
                }
            }
        } catch (IOException e) {
            // The guest was ended, or this channel closed.
        }
        lines.add(END_OF_STREAM);
    }
}
