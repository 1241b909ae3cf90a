package io.jrdma.netty;

import java.util.EnumMap;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What became of the packets of a device: each that was claimed or came in ends in one of these. Written by the loop alone, read by any
 * thread.
 */
final class UdpCounters {
    /** What is counted; packets, unless it says otherwise. */
    enum Counter {
        SENT,
        /** System calls or writes that sent them, each a train or a single packet. */
        SENT_TRAINS,
        /** Not sent: longer than the MTU of the interface or of the path. */
        SEND_TOO_LONG,
        /** Not sent: the system had no memory for it. */
        SEND_NO_BUFFERS,
        /** Not sent: no way to the peer, or not allowed. */
        SEND_FAILED,
        /** Not sent: the path was not pinned. */
        SEND_NO_PATH,
        /** Not sent: the port was closed before the socket took it. */
        SEND_UNSENT,
        /** Handed to the engine. */
        RECEIVED,
        /** Datagrams and trains that the system delivered. */
        RECEIVED_TRAINS,
        BAD_ICRC,
        /** Shorter than the shortest packet, longer than the longest, or no multiple of 4 bytes. */
        MALFORMED,
        /** Longer than the buffer. */
        TRUNCATED,
        /** From an address of another family or with a header that makes no sense. */
        FOREIGN,
        /** Arrived when the engine was gone. */
        IGNORED,
        /** Errors of the socket that belong to no packet, such as a port that a peer does not listen at. */
        SOCKET_ERRORS,
        /** Senders that made room for others. */
        SOURCES_EVICTED
    }

    private final EnumMap<Counter, AtomicLong> values = new EnumMap<>(Counter.class);

    UdpCounters() {
        for (Counter counter : Counter.values()) {
            values.put(counter, new AtomicLong());
        }
    }

    void add(Counter counter, long count) {
        AtomicLong value = value(counter);
        value.lazySet(value.getPlain() + count);
    }

    void increment(Counter counter) {
        add(counter, 1);
    }

    long get(Counter counter) {
        return value(counter).get();
    }

    private AtomicLong value(Counter counter) {
        return Objects.requireNonNull(values.get(counter));
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Counter counter : Counter.values()) {
            if (get(counter) != 0) {
                text.append(text.isEmpty() ? "" : ", ")
                        .append(counter)
                        .append(' ')
                        .append(get(counter));
            }
        }
        return text.toString();
    }
}
