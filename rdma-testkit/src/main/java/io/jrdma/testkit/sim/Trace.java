package io.jrdma.testkit.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What happened in a run: the last events as text, and a hash over all of them. The same seed gives the same hash; a run that does not is
 * not deterministic, and that is a fault by itself.
 */
public final class Trace {
    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    private final int capacity;
    private final long[] time;
    private final String[] kind;
    private final String[] who;
    private final long[] position;
    private final long[] detail;
    private final @Nullable Supplier<String>[] text;
    private long count;
    private long hash = FNV_OFFSET;

    /**
     * An empty trace.
     *
     * @param capacity events that are kept as text, 1 or more; the hash covers all
     */
    public Trace(int capacity) {
        this.capacity = capacity;
        time = new long[capacity];
        kind = new String[capacity];
        who = new String[capacity];
        position = new long[capacity];
        detail = new long[capacity];
        text = suppliers(capacity);
    }

    @SuppressWarnings("unchecked") // there are no arrays of generic types
    private static @Nullable Supplier<String>[] suppliers(int capacity) {
        return (@Nullable Supplier<String>[]) new Supplier<?>[capacity];
    }

    /**
     * Adds an event.
     *
     * @param kind what, a constant
     * @param who the thing that it happened to
     * @param position number that belongs to it, such as the position in a stream
     * @param detail number that belongs to it, such as a length
     */
    public void add(long nowNs, String kind, String who, long position, long detail) {
        enter(nowNs, kind, who, position, detail, null);
    }

    /**
     * Adds an event with more to say about it.
     *
     * @param kind what, a constant
     * @param who the thing that it happened to
     * @param position number that belongs to it, such as the position in a stream
     * @param detail number that belongs to it, such as a length
     * @param more asked for its text only when the event is printed, and not part of the hash
     */
    public void add(long nowNs, String kind, String who, long position, long detail, Supplier<String> more) {
        enter(nowNs, kind, who, position, detail, more);
    }

    private void enter(
            long nowNs, String kind, String who, long position, long detail, @Nullable Supplier<String> more) {
        int slot = (int) (count++ % capacity);
        time[slot] = nowNs;
        this.kind[slot] = kind;
        this.who[slot] = who;
        this.position[slot] = position;
        this.detail[slot] = detail;
        text[slot] = more;
        mix(nowNs);
        mix(kind.hashCode());
        mix(who.hashCode());
        mix(position);
        mix(detail);
    }

    /** Adds bytes to the hash, and nothing to the text. */
    public void addBytes(byte[] bytes) {
        long h = hash;
        for (byte b : bytes) {
            h = (h ^ (b & 0xFF)) * FNV_PRIME;
        }
        hash = h;
    }

    private void mix(long value) {
        // FNV-1a by words, with a shift that brings the high bits down
        long h = (hash ^ value) * FNV_PRIME;
        hash = h ^ h >>> 32;
    }

    /** Over all events and bytes so far. */
    public long hash() {
        return hash;
    }

    /** Events so far. */
    public long count() {
        return count;
    }

    /** The last events, oldest first, one a line: time in nanoseconds, kind, who, position, detail; of packets what is in them. */
    public List<String> last(int lines) {
        List<String> events = new ArrayList<>();
        for (long i = Math.max(0, count - Math.min(lines, capacity)); i < count; i++) {
            int slot = (int) (i % capacity);
            Supplier<String> more = text[slot];
            String event = "%d %s %s %d %d".formatted(time[slot], kind[slot], who[slot], position[slot], detail[slot]);
            events.add(more == null ? event : event + " | " + more.get());
        }
        return events;
    }
}
