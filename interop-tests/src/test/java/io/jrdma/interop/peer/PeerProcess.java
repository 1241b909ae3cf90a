package io.jrdma.interop.peer;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A child process of the tests: its output is captured, every wait for it has a limit, and closing it ends it and all its
 * descendants.
 *
 * <p>Any thread may use it.
 */
public final class PeerProcess implements AutoCloseable {
    private static final Duration GRACE = Duration.ofSeconds(2);

    private final String name;
    private final Process process;
    private final Thread reader;
    private final StringBuilder captured = new StringBuilder();

    private PeerProcess(String name, Process process) {
        this.name = name;
        this.process = process;
        this.reader = Thread.ofPlatform().daemon().name("output of " + name).start(this::readOutput);
    }

    /**
     * Starts a command.
     *
     * @param name what failure messages call it
     * @param command program and arguments
     */
    public static PeerProcess start(String name, List<String> command) {
        try {
            return new PeerProcess(
                    name, new ProcessBuilder(command).redirectErrorStream(true).start());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + command, e);
        }
    }

    /** Runs a command to its end, which must come within the limit. */
    public static Outcome run(List<String> command, Duration limit) {
        try (PeerProcess process = start(String.join(" ", command), command)) {
            return process.await(limit);
        }
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Waits at most that long for the end of the process. */
    boolean hasEndedWithin(Duration limit) {
        try {
            return process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for " + name, e);
        }
    }

    /** The process's standard input; it stays open until this is closed or the process is. */
    public OutputStream input() {
        return process.getOutputStream();
    }

    /** What has been printed so far. */
    public String output() {
        synchronized (captured) {
            return captured.toString();
        }
    }

    /** Waits for the end of the process; ends it when the limit is reached, and says so in the exit code. */
    public Outcome await(Duration limit) {
        try {
            if (process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                // A grandchild that is left may hold the pipe open: what the process itself wrote is there by then.
                reader.join(GRACE);
                return new Outcome(name, process.exitValue(), output());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for " + name, e);
        }
        return new Outcome(name, end() ? Outcome.TIME_UP : Outcome.KILLED, output());
    }

    /** Waits until the process has printed the text. */
    public void awaitOutput(String text, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        synchronized (captured) {
            while (captured.indexOf(text) < 0) {
                long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (millis <= 0 || !reader.isAlive()) {
                    throw new AssertionError(name + (process.isAlive() ? "" : " has ended and") + " did not print '"
                            + text + "' but:\n" + captured.toString().indent(4));
                }
                try {
                    captured.wait(Math.min(millis, 100));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new AssertionError("interrupted while waiting for the output of " + name, e);
                }
            }
        }
    }

    /** Waits until something in the process's network namespace listens on the TCP port. */
    public void awaitListener(int port, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!listens(port)) {
            if (hasEndedWithin(Duration.ofMillis(50)) || System.nanoTime() - deadline > 0) {
                throw new AssertionError("nobody listens on port " + port + "; " + name
                        + (process.isAlive() ? " runs" : " has ended") + ", having printed:\n"
                        + output().indent(4));
            }
        }
    }

    @Override
    public void close() {
        end();
    }

    /** Ends the process and what it started. False if it had to be killed. */
    private boolean end() {
        List<ProcessHandle> all = process.descendants().toList();
        process.destroy();
        all.forEach(ProcessHandle::destroy);
        boolean ended;
        try {
            ended = process.waitFor(GRACE.toNanos(), TimeUnit.NANOSECONDS);
            if (!ended) {
                process.destroyForcibly().waitFor();
            }
            all.forEach(ProcessHandle::destroyForcibly);
            reader.join(GRACE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
            throw new AssertionError("interrupted while ending " + name, e);
        }
        return ended;
    }

    private boolean listens(int port) {
        // Columns of /proc/net/tcp: slot, local address:port in hex, remote address:port, state (0A is LISTEN).
        String local = ":%04X".formatted(port);
        for (String table : List.of("tcp", "tcp6")) {
            try {
                for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid()), "net", table))) {
                    String[] columns = line.strip().split("\\s+");
                    if (columns[1].endsWith(local) && columns[3].equals("0A")) {
                        return true;
                    }
                }
            } catch (IOException e) {
                // The process has ended, and its namespace is out of reach: the caller finds that out.
                return false;
            }
        }
        return false;
    }

    private void readOutput() {
        byte[] bytes = new byte[8192];
        try (InputStream in = process.getInputStream()) {
            for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
                synchronized (captured) {
                    captured.append(new String(bytes, 0, n, StandardCharsets.UTF_8));
                    captured.notifyAll();
                }
            }
        } catch (IOException e) {
            // The pipe was closed because the process was ended.
        }
    }
}
