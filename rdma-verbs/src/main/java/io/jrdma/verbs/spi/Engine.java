package io.jrdma.verbs.spi;

/**
 * A deterministic protocol machine: no I/O, no clock, no threads, no randomness that was not handed in. One thread calls it: its driver's
 * loop.
 *
 * <p>Four kinds of methods: inputs ({@code on...}), outputs ({@code poll...} and the callbacks of the objects handed in), deadlines, and
 * commands. After every input or command the driver calls {@link #pollTransmit} until it returns 0, then {@link #nextDeadlineNs}. The
 * same inputs give the same outputs. No method throws on what a peer sent. {@code nowNs} is monotonic with an arbitrary origin and never
 * decreases from call to call.
 */
public interface Engine {
    /** No deadline. Test for it before subtracting times. */
    long NO_DEADLINE = Long.MAX_VALUE;

    /** The earlier of two times, each of which may be {@link #NO_DEADLINE}. */
    static long earlier(long oneNs, long otherNs) {
        if (oneNs == NO_DEADLINE) {
            return otherNs;
        }
        return otherNs == NO_DEADLINE || oneNs - otherNs < 0 ? oneNs : otherNs;
    }

    /** To be called at or after {@link #nextDeadlineNs}; at any other time it does nothing. */
    void onTimeout(long nowNs);

    /** When {@link #onTimeout} wants to be called; may change after any other call. */
    long nextDeadlineNs();

    /**
     * Writes what is to be sent into the sink, at most about {@code maxBytes}.
     *
     * @return bytes written; 0 if there is nothing to send or the sink has no room
     */
    int pollTransmit(TransmitSink sink, int maxBytes, long nowNs);
}
