package io.jrdma.cm.ib;

import io.jrdma.wire.cm.CmBytes;
import io.jrdma.wire.cm.CmDreq;
import io.jrdma.wire.cm.CmRej;
import io.jrdma.wire.cm.CmRejReason;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The steps in which a connection comes to its end, on the line and on this side's queue pair. Loop only. */
final class IbEnding {
    private final IbConnection connection;
    private final IbReports reports;
    private final boolean passive;
    private @Nullable IbLine line;
    private @Nullable IbSetup setup;

    IbEnding(IbConnection connection, IbReports reports, boolean passive) {
        this.connection = connection;
        this.reports = reports;
        this.passive = passive;
    }

    /** What is to be ended; before anything else here is called. */
    void of(IbLine newLine, IbSetup newSetup) {
        line = newLine;
        setup = newSetup;
    }

    /** Gives up a connection that the peer may think is up. */
    void rejectAnyhow() {
        line().send(line().rejection(CmRej.OF_OTHER, CmRejReason.CONSUMER_DEFINED, CmBytes.EMPTY));
    }

    /** Takes back a request that the peer may not have answered yet. */
    void withdraw() {
        // [IBTA-CM-12.6.7-2] the peer may not have told its ID yet, so that ours says which request it is about
        line().send(line().rejection(
                        CmRej.OF_OTHER,
                        CmRejReason.TIMEOUT,
                        line().cm().numbers().caGuidBytes()));
        forget();
    }

    /** Nothing more can be sent or received: the application learns it now, and the peer when it can be told. */
    void lose(String why) {
        line().unbind();
        setup().end(why);
        reports.disconnected(0);
    }

    /** What was posted up to now is still to be sent. */
    void beginDrain(long nowNs) {
        setup().queuePair().beginDrain(nowNs, setup().options().drainTimeoutNs());
    }

    /** Whether nothing is left to be sent; looks again in a while otherwise. */
    boolean isDrained(long nowNs) {
        long again = setup().queuePair().drain(nowNs);
        if (again != 0) {
            line().expect(again, nowNs);
        }
        return again == 0;
    }

    /** Tells the peer that this side leaves, until it answers. */
    void sendDreq(long nowNs) {
        IbLine to = line();
        // [IBTA-CM-12.9.8-1] the REQ speaks for both sides
        int retries = Math.min(
                setup().options().disconnectRetries(), setup().request().maxCmRetries());
        to.repeatAnew(
                new CmDreq(to.localId(), to.remoteId(), to.remoteQpNum(), CmBytes.EMPTY),
                retries,
                setup().options().disconnectTimeoutNs(),
                nowNs);
    }

    /**
     * The connection is over on both sides, as far as this one knows.
     *
     * @param why in words, unless the queue pair knows better
     */
    void end(String why, int status, long nowNs) {
        // [IBTA-CM-12.10-1] to ERROR only now, so that the peer's last requests were still acknowledged
        line().unbind();
        setup().end(why);
        setup().release();
        line().cm().ended().add(connection, setup().timewaitNs(), nowNs);
        reports.disconnected(status);
    }

    /**
     * A request was refused. Nothing of it is on its way but repetitions; how long those are waited for is no choice of the peer's.
     */
    void refused(long nowNs) {
        line().unbind();
        setup().end("the request was refused");
        setup().release();
        line().cm().refused().add(connection, CmTimes.answerKeptNs(), nowNs);
    }

    /** Nobody knows the connection any more. */
    void forget() {
        line().forget(passive ? setup().request() : null);
    }

    private IbLine line() {
        return Objects.requireNonNull(line);
    }

    private IbSetup setup() {
        return Objects.requireNonNull(setup);
    }
}
