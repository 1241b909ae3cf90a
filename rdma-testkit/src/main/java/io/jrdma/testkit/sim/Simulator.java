package io.jrdma.testkit.sim;

import io.jrdma.verbs.spi.Seeds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Time, chance and order of a simulated run. One seed decides everything: events happen in the order of (time, order of scheduling), on
 * the caller's thread, and time jumps from one to the next. Two runs with the same seed and the same calls are the same run.
 *
 * <p>Not thread-safe: the thread that made it is the only one that may use it, and the devices on it.
 */
public final class Simulator {
    private static final int TRACE_EVENTS = 4096;
    private static final int TRACE_LINES = 40;
    /** More events at one time than any run needs: nothing lets the time go on. */
    private static final int MAX_STEPS_AT_ONCE = 5_000_000;

    private record Event(long timeNs, long sequence, boolean timer, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(timeNs, other.timeNs);
            return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
        }
    }

    private final long seed;
    private final Thread owner = Thread.currentThread();
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Trace trace = new Trace(TRACE_EVENTS);
    private final List<Checker> checkers = new ArrayList<>();
    private final SimNetwork network;
    private String description = "";
    private long nowNs = 1_000_000_000L;
    private long nextSequence;
    private long steps;
    private int pendingWork;
    private int stepsAtOnce;
    private boolean stepping;
    private @Nullable Path captures;

    /** A run that begins at one second, with nothing to happen. */
    public Simulator(long seed) {
        this.seed = seed;
        this.network = new SimNetwork(this);
    }

    /** The seed of the run. */
    public long seed() {
        return seed;
    }

    /** The time in nanoseconds. */
    public long nowNs() {
        return nowNs;
    }

    /** What happened. */
    public Trace trace() {
        return trace;
    }

    /** What carries the bytes. */
    public SimNetwork network() {
        return network;
    }

    /** Events that have happened. */
    public long steps() {
        return steps;
    }

    /** A source of chance for one purpose: the same seed and name give the same numbers. */
    public SplittableRandom random(String name) {
        return new SplittableRandom(Seeds.child(seed, name));
    }

    /**
     * A host of the network: a driver provider for devices at these addresses.
     *
     * @param addresses IP addresses as text, at least one
     */
    public SimHost host(String name, String... addresses) {
        return network.host(name, addresses);
    }

    /** Has the checker called after every step. */
    public void add(Checker checker) {
        checkers.add(checker);
    }

    /** Text that a failure prints besides the seed: the options of the run. */
    public void describe(String text) {
        description = text;
    }

    /** Records streams and datagrams from now on, and writes them to a pcap file in that directory when the run fails. */
    public void captureOnFailure(Path directory) {
        captures = directory;
        var _ = network.capture();
    }

    /** Schedules; what is due at the same time happens in the order of the calls. */
    public void at(long timeNs, Runnable action) {
        schedule(timeNs, false, action);
    }

    /** Schedules; as {@link #at}. */
    public void after(long delayNs, Runnable action) {
        at(nowNs + delayNs, action);
    }

    /** Schedules something that waits for time to pass: it does not keep {@link #runUntilIdle} busy. */
    public void timerAt(long timeNs, Runnable action) {
        schedule(timeNs, true, action);
    }

    private void schedule(long timeNs, boolean timer, Runnable action) {
        checkThread();
        events.add(new Event(Math.max(timeNs, nowNs), nextSequence++, timer, action));
        if (!timer) {
            pendingWork++;
        }
    }

    /** Whether something is to happen now, without time passing. */
    public boolean isDue() {
        Event next = events.peek();
        return next != null && next.timeNs <= nowNs;
    }

    /** Whether an event is happening in this moment: what runs now was called by one. */
    public boolean isStepping() {
        return stepping;
    }

    /** When the next event is due, or {@code Long.MAX_VALUE}. */
    public long nextEventNs() {
        Event next = events.peek();
        return next == null ? Long.MAX_VALUE : next.timeNs;
    }

    /**
     * Lets the next event happen.
     *
     * @return false if there is none
     * @throws SimFailure if the event or a checker fails
     */
    public boolean step() {
        checkThread();
        if (stepping) {
            throw new IllegalStateException("an event cannot run the simulator");
        }
        Event event = events.poll();
        if (event == null) {
            return false;
        }
        if (!event.timer) {
            pendingWork--;
        }
        stepsAtOnce = event.timeNs == nowNs ? stepsAtOnce + 1 : 0;
        nowNs = event.timeNs;
        steps++;
        if (stepsAtOnce > MAX_STEPS_AT_ONCE) {
            throw failure("time stands still", new IllegalStateException("endless loop"));
        }
        stepping = true;
        try {
            event.action.run();
            for (Checker checker : checkers) {
                checker.afterStep(this);
            }
        } catch (RuntimeException | AssertionError fault) {
            throw failure(fault.toString(), fault);
        } finally {
            stepping = false;
        }
        return true;
    }

    /** Lets time pass without an event; a later event is not overtaken. */
    public void advanceTo(long timeNs) {
        checkThread();
        nowNs = Math.max(nowNs, Math.min(timeNs, nextEventNs()));
    }

    /** Lets everything happen that is due within a time, then stands at its end. */
    public void runFor(long durationNs) {
        runUntil(() -> false, durationNs);
    }

    /**
     * Runs until the condition holds.
     *
     * @return whether it holds; if not, the time is over
     */
    public boolean runUntil(BooleanSupplier condition, long withinNs) {
        long endNs = nowNs + withinNs;
        while (!condition.getAsBoolean()) {
            if (nextEventNs() > endNs) {
                advanceTo(endNs);
                return condition.getAsBoolean();
            }
            step();
        }
        return true;
    }

    /**
     * Runs until nothing but timers is left.
     *
     * @return false if that was not so within the time
     */
    public boolean runUntilIdle(long withinNs) {
        return runUntil(() -> pendingWork == 0, withinNs);
    }

    /** An error that tells the seed, how to replay it, the options and the last events. */
    public SimFailure failure(String what, Throwable cause) {
        if (cause instanceof SimFailure known) {
            return known;
        }
        StringBuilder text = new StringBuilder();
        text.append(what)
                .append("\n  at ")
                .append(nowNs)
                .append(" ns, step ")
                .append(steps)
                .append("\n  replay with -Djrdma.sim.seed=")
                .append(seed)
                .append(description.isEmpty() ? "" : "\n  options " + description)
                .append(writeCapture())
                .append("\n  last events:");
        for (String line : trace.last(TRACE_LINES)) {
            text.append("\n    ").append(line);
        }
        return new SimFailure(text.toString(), cause);
    }

    private String writeCapture() {
        Path directory = captures;
        if (directory == null) {
            return "";
        }
        Path file = directory.resolve("seed-" + seed + ".pcap");
        try {
            network.capture().write(file);
            return "\n  capture in " + file;
        } catch (IOException failed) {
            return "\n  capture could not be written to " + file + ": " + failed;
        }
    }

    private void checkThread() {
        if (Thread.currentThread() != owner) {
            throw new IllegalStateException("the simulator belongs to thread " + owner.getName());
        }
    }
}
