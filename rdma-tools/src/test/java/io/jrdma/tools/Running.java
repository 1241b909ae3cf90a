package io.jrdma.tools;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The command in this process, on a thread of its own: what it prints, and its exit code. */
public final class Running implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final Watched out = new Watched();
    private final Watched err = new Watched();
    private final CompletableFuture<Integer> exitCode = new CompletableFuture<>();
    private final Thread thread;

    private Running(String... args) {
        thread = Thread.ofPlatform()
                .daemon()
                .name("jrdma " + String.join(" ", args))
                .start(() -> {
                    try {
                        exitCode.complete(Main.run(new PrintWriter(out, true), new PrintWriter(err, true), args));
                    } catch (Throwable broken) {
                        exitCode.completeExceptionally(broken);
                    }
                });
    }

    /** How a command ended. */
    public record Ended(int exitCode, String out, String err) {}

    /** Starts it. */
    public static Running start(String... args) {
        return new Running(args);
    }

    /** Runs it to its end. */
    public static Ended run(String... args) {
        try (Running running = start(args)) {
            return running.await();
        }
    }

    /** Waits for a line on standard error that the pattern matches somewhere, and gives the pattern's first group. */
    public String awaitErr(String pattern) {
        return err.await(Pattern.compile(pattern));
    }

    /** Waits until it listens, and gives the port. */
    public String awaitPort() {
        return awaitErr("listening on \\S+:(\\d+)");
    }

    /** Waits for its end. */
    public Ended await() {
        try {
            int code = exitCode.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            return new Ended(code, out.toString(), err.toString());
        } catch (TimeoutException late) {
            throw new AssertionError(thread.getName() + " has not ended; it said:\n" + out + err, late);
        } catch (InterruptedException | ExecutionException failure) {
            throw new AssertionError(thread.getName() + " has not ended well; it said:\n" + out + err, failure);
        }
    }

    /** Ends it as far as an interrupt does. */
    @Override
    public void close() {
        thread.interrupt();
    }

    /** A writer that others can wait for. */
    private static final class Watched extends StringWriter {
        @Override
        public void write(String text, int from, int length) {
            synchronized (getBuffer()) {
                super.write(text, from, length);
                getBuffer().notifyAll();
            }
        }

        @Override
        public String toString() {
            synchronized (getBuffer()) {
                return super.toString();
            }
        }

        String await(Pattern pattern) {
            long end = System.nanoTime() + LIMIT.toNanos();
            synchronized (getBuffer()) {
                while (true) {
                    Matcher matcher = pattern.matcher(getBuffer());
                    if (matcher.find()) {
                        return matcher.groupCount() > 0 ? matcher.group(1) : matcher.group();
                    }
                    long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                    if (left <= 0) {
                        throw new AssertionError("no " + pattern + " in:\n" + getBuffer());
                    }
                    try {
                        getBuffer().wait(left);
                    } catch (InterruptedException stopped) {
                        throw new AssertionError(stopped);
                    }
                }
            }
        }
    }
}
