package io.jrdma.testkit.sim;

import io.jrdma.verbs.spi.Seeds;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * One direction of a connection: bytes arrive in order, cut and merged by chance, late by chance, and with whatever else {@link
 * LinkOptions} say.
 */
public final class StreamLink {
    private final Simulator simulator;
    private final String name;
    private final SimStream from;
    private final SimStream to;
    private final SplittableRandom random;
    private LinkOptions options;
    private long committed;
    private long arrived;
    private long read;
    private long lastArrivalNs;
    private boolean broken;

    StreamLink(Simulator simulator, String name, SimStream from, SimStream to, LinkOptions options) {
        this.simulator = simulator;
        this.name = name;
        this.from = from;
        this.to = to;
        this.options = options;
        this.random = new SplittableRandom(Seeds.child(simulator.seed(), "link " + name));
    }

    /** Connection and direction, for messages. */
    public String name() {
        return name;
    }

    /** The options in force. */
    public LinkOptions options() {
        return options;
    }

    /** Changes the options for what is sent from now on. */
    public void options(LinkOptions newOptions) {
        options = newOptions;
    }

    /** Bytes that the sender has committed. */
    public long committed() {
        return committed;
    }

    /** Bytes that have come to the receiver's side. */
    public long arrived() {
        return arrived;
    }

    /** Bytes that the receiver's engine was given. */
    public long read() {
        return read;
    }

    /** Nothing arrives before that time. */
    public void stallUntil(long timeNs) {
        lastArrivalNs = Math.max(lastArrivalNs, timeNs);
    }

    /** Resets the whole connection, as a router in between might. */
    public void reset() {
        if (!broken) {
            broken = true;
            simulator.trace().add(simulator.nowNs(), "reset", name, arrived, 0);
            Capture capture = simulator.network().recording();
            if (capture != null) {
                capture.reset(simulator.nowNs(), this);
            }
            to.onReset();
            from.onReset();
        }
    }

    boolean hasRoom() {
        return committed - read < options.bufferBytes();
    }

    SplittableRandom random() {
        return random;
    }

    /** The sender commits bytes. */
    void send(byte[] bytes) {
        int at = 0;
        while (at < bytes.length) {
            int length = random.nextInt(1, Math.min(options.maxSegmentBytes(), bytes.length - at) + 1);
            byte[] segment = Arrays.copyOfRange(bytes, at, at + length);
            long position = committed;
            corrupt(segment, position);
            if (isWithin(options.resetAt(), position, length)) {
                byte[] rest = upTo(options.resetAt(), segment, position);
                atArrival(() -> {
                    arrive(rest);
                    reset();
                });
            } else if (isWithin(options.closeAt(), position, length)) {
                byte[] rest = upTo(options.closeAt(), segment, position);
                atArrival(() -> {
                    arrive(rest);
                    die();
                });
            } else {
                atArrival(() -> arrive(segment));
            }
            committed += length;
            at += length;
        }
    }

    private static boolean isWithin(long at, long position, int length) {
        return at >= 0 && at - position < length;
    }

    private static byte[] upTo(long at, byte[] segment, long position) {
        return Arrays.copyOf(segment, (int) Math.max(0, at - position));
    }

    /** The sender's process has died: its system says FIN, and nobody is behind that any more. */
    private void die() {
        if (!broken) {
            broken = true;
            simulator.trace().add(simulator.nowNs(), "died", name, arrived, 0);
            Capture capture = simulator.network().recording();
            if (capture != null) {
                capture.finished(simulator.nowNs(), this);
            }
            to.onFin();
            from.onReset();
        }
    }

    /** The sender has nothing more to send. */
    void finish() {
        simulator.trace().add(simulator.nowNs(), "fin", name, committed, 0);
        atArrival(() -> {
            if (!broken) {
                Capture capture = simulator.network().recording();
                if (capture != null) {
                    capture.finished(simulator.nowNs(), this);
                }
                to.onFin();
            }
        });
    }

    /** The sender drops the connection. */
    void sendReset() {
        simulator.trace().add(simulator.nowNs(), "rst", name, committed, 0);
        atArrival(() -> {
            if (!broken) {
                broken = true;
                Capture capture = simulator.network().recording();
                if (capture != null) {
                    capture.reset(simulator.nowNs(), this);
                }
                to.onReset();
            }
        });
    }

    private void atArrival(Runnable action) {
        long latencyNs = random.nextLong(options.minLatencyNs(), options.maxLatencyNs() + 1);
        if (options.stallPerMille() > 0 && random.nextInt(1000) < options.stallPerMille()) {
            latencyNs += random.nextLong(options.maxStallNs() + 1);
        }
        lastArrivalNs = Math.max(lastArrivalNs, simulator.nowNs() + latencyNs);
        simulator.at(lastArrivalNs, action);
    }

    private void corrupt(byte[] segment, long position) {
        for (long at : options.corruptAt()) {
            if (at >= position && at < position + segment.length) {
                flip(segment, (int) (at - position), position);
            }
        }
        if (options.corruptPerMille() > 0 && random.nextInt(1000) < options.corruptPerMille()) {
            int at = random.nextInt(segment.length);
            if (position + at >= options.corruptFrom()) {
                flip(segment, at, position);
            }
        }
    }

    private void flip(byte[] segment, int at, long position) {
        segment[at] ^= (byte) (1 << random.nextInt(8));
        simulator.trace().add(simulator.nowNs(), "corrupt", name, position + at, segment[at]);
    }

    private void arrive(byte[] segment) {
        if (broken) {
            return;
        }
        simulator.trace().add(simulator.nowNs(), "arrive", name, arrived, segment.length);
        simulator.trace().addBytes(segment);
        Capture capture = simulator.network().recording();
        if (capture != null) {
            capture.data(simulator.nowNs(), this, arrived, segment);
        }
        arrived += segment.length;
        to.onArrived(segment);
    }

    /** The receiver has taken bytes, by reading or by throwing them away: there is more room for the sender. */
    void taken(int bytes) {
        boolean full = !hasRoom();
        read += bytes;
        if (full && hasRoom()) {
            from.onRoom();
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
