package io.jrdma.testkit.engine;

/** The time, which moves when a test says so. Starts at one second, so that no test takes 0 for a time. */
public final class TestClock {
    private long nowNs = 1_000_000_000L;

    /** A clock at its start. */
    public TestClock() {}

    /** The time in nanoseconds. */
    public long nowNs() {
        return nowNs;
    }

    /** Moves to that time, unless it is past. */
    public void advanceTo(long ns) {
        nowNs = Math.max(nowNs, ns);
    }
}
