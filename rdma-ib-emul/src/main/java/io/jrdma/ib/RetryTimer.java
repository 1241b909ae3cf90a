package io.jrdma.ib;

import io.jrdma.verbs.spi.Engine;
import io.jrdma.wire.ib.AckTimeout;
import java.util.Locale;

/**
 * When to send again what is not acknowledged, and when to give up.
 *
 * <p>Two clocks. The <em>fast</em> one runs for the time that answers have been seen to take (mean and deviation as TCP reckons them), a
 * millisecond at least, twice as long after each expiry without progress, and never longer than the queue pair's own limit; its expiry
 * only sends again. The queue pair's own limit, 4.096 us * 2^timeout, runs from the last progress; only its expiry uses up a retry, so
 * that a queue pair gives up after (retry_cnt + 1) limits without any progress, whatever was sent again in between.
 */
final class RetryTimer {
    /** The shortest wait: less is lost in the noise of schedulers and garbage collectors. */
    static final long MIN_NS = 1_000_000;
    /** The wait while no answer was measured. */
    static final long INITIAL_NS = 20_000_000;
    /** Limits below this exponent count as this one, 1.05 ms: an event loop cannot keep shorter ones. Linux rxe rounds up to a jiffy. */
    static final int MIN_TIMEOUT = 8;

    private static final int MAX_BACKOFF = 16;

    private long limitNs;
    private int maxRetries;
    private int retriesLeft;
    private long smoothedNs;
    private long deviationNs;
    private int backoff;

    private boolean armed;
    private long sinceNs;
    private long expiryNs;

    private boolean timing;
    private long timedPsn;
    private long timedNs;

    /**
     * At rest.
     *
     * @param timeout the attribute of that name, 0 to 31; 0: no limit and no sending again
     * @param retries the attribute retry_cnt
     */
    void configure(int timeout, int retries) {
        limitNs = timeout == 0 ? 0 : AckTimeout.toNanos(Math.max(timeout, MIN_TIMEOUT));
        maxRetries = retries;
        retriesLeft = retries;
    }

    /** As if nothing had ever been sent. */
    void reset() {
        smoothedNs = 0;
        deviationNs = 0;
        backoff = 0;
        armed = false;
        timing = false;
        retriesLeft = maxRetries;
    }

    /** When it expires, or {@link Engine#NO_DEADLINE}. */
    long expiryNs() {
        return armed ? expiryNs : Engine.NO_DEADLINE;
    }

    /** Something that wants an answer was sent. */
    void onSent(long nowNs) {
        if (!armed && limitNs != 0) {
            armed = true;
            sinceNs = nowNs;
            expiryNs = expiryFrom(nowNs);
        }
    }

    /** Measures the time until that PSN, sent for the first time, is answered, unless another is being measured. */
    void measure(long psn, long nowNs) {
        if (!timing) {
            timing = true;
            timedPsn = psn;
            timedNs = nowNs;
        }
    }

    /** Some of what was sent is answered; {@code unackedPsn} is the first that is not. */
    void onProgress(long unackedPsn, boolean anythingLeft, long nowNs) {
        if (timing && timedPsn < unackedPsn) {
            timing = false;
            sample(nowNs - timedNs);
        }
        backoff = 0;
        retriesLeft = maxRetries;
        armed = anythingLeft && limitNs != 0;
        sinceNs = nowNs;
        expiryNs = expiryFrom(nowNs);
    }

    /** What is on the way is sent again for another reason: the answer to be measured may be the answer to either copy. */
    void onSendingAgain(long nowNs) {
        timing = false;
        if (armed) {
            expiryNs = expiryFrom(nowNs);
        }
    }

    /** The time from here on counts, not the one before: the peer had asked to wait. */
    void restart(long nowNs) {
        armed = limitNs != 0;
        sinceNs = nowNs;
        expiryNs = expiryFrom(nowNs);
    }

    /** Does not run any more. */
    void stop() {
        armed = false;
        timing = false;
    }

    /** Whether the time is over. */
    boolean isExpired(long nowNs) {
        return armed && expiryNs - nowNs <= 0;
    }

    /** At an expiry: whether the queue pair's own limit is over as well. */
    boolean isLimitOver(long nowNs) {
        return nowNs - sinceNs >= limitNs;
    }

    /**
     * The queue pair's own limit is over.
     *
     * @return false if there is no retry left
     */
    boolean useRetry(long nowNs) {
        if (retriesLeft == 0) {
            return false;
        }
        retriesLeft--;
        sinceNs = nowNs;
        return true;
    }

    /** What it comes to when no retry is left, in words: how long there was no answer. */
    String surrender() {
        double seconds = (maxRetries + 1) * (limitNs / 1e9);
        return String.format(Locale.ROOT, "no answer from the peer for %.3f s, after %d retries", seconds, maxRetries);
    }

    /** Waits longer than the last time. */
    void backOff(long nowNs) {
        timing = false;
        backoff = Math.min(backoff + 1, MAX_BACKOFF);
        expiryNs = expiryFrom(nowNs);
    }

    private void sample(long tookNs) {
        if (smoothedNs == 0) {
            smoothedNs = Math.max(1, tookNs);
            deviationNs = tookNs / 2;
            return;
        }
        deviationNs += (Math.abs(tookNs - smoothedNs) - deviationNs) / 4;
        smoothedNs += (tookNs - smoothedNs) / 8;
    }

    /** The fast clock's end, or that of the limit, which is counted from the last progress, if it comes earlier. */
    private long expiryFrom(long nowNs) {
        long usualNs = smoothedNs == 0 ? INITIAL_NS : Math.max(MIN_NS, smoothedNs + 4 * deviationNs);
        long leftNs = limitNs - (nowNs - sinceNs);
        return nowNs + Math.min(usualNs << backoff, leftNs > 0 ? leftNs : limitNs);
    }
}
