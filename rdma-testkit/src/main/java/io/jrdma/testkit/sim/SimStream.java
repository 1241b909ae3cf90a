package io.jrdma.testkit.sim;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MpaNegotiated;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.ConnectFailure;
import io.jrdma.verbs.spi.Engine;
import io.jrdma.verbs.spi.StreamConnection;
import io.jrdma.verbs.spi.StreamEngine;
import io.jrdma.verbs.spi.StreamHandle;
import io.jrdma.verbs.spi.StreamParameters;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One end of a simulated stream: what arrives, when the engine that it carries is called, and how the end comes. It fails the run when the
 * engine breaks its contract: it throws on input, sends after it said that it has nothing, consumes too little, keeps a deadline that is
 * over.
 */
public final class SimStream implements StreamConnection, StreamHandle {
    /** How long an end that has sent FIN waits for the other's. */
    static final long LINGER_NS = 5_000_000_000L;

    private static final int MAX_CALLS = 32;

    private final SimStreams streams;
    private final SimDriver driver;
    private final Simulator simulator;
    private final @Nullable SimListening listening;
    private final String name;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final SimInbox inbox = new SimInbox();
    private @Nullable CheckedEngine engine;
    private @Nullable StreamLink out;
    private @Nullable SimStream peer;
    private boolean finArrived;
    private boolean resetArrived;
    private boolean readScheduled;
    private boolean settleScheduled;
    private boolean opened;
    private boolean inputEnded;
    private boolean outputEnded;
    private boolean closeRequested;
    private boolean resetRequested;
    private boolean down;
    private boolean ended;
    private long lingerEndNs = Engine.NO_DEADLINE;
    private long armedNs = Engine.NO_DEADLINE;

    SimStream(
            SimStreams streams,
            @Nullable SimListening listening,
            String name,
            InetSocketAddress local,
            InetSocketAddress remote) {
        this.streams = streams;
        this.driver = streams.driver();
        this.simulator = driver.simulator();
        this.listening = listening;
        this.name = name;
        this.local = local;
        this.remote = remote;
    }

    void host(StreamEngine newEngine) {
        engine = new CheckedEngine(name, driver, newEngine);
    }

    void join(StreamLink newOut, SimStream newPeer) {
        out = newOut;
        peer = newPeer;
    }

    /** Device and number, for messages. */
    public String name() {
        return name;
    }

    /** The direction from this end to the peer's. */
    public StreamLink out() {
        return Objects.requireNonNull(out, name);
    }

    private StreamLink in() {
        return Objects.requireNonNull(peer, name).out();
    }

    private CheckedEngine engine() {
        return Objects.requireNonNull(engine, name);
    }

    SimDriver driver() {
        return driver;
    }

    boolean isEnded() {
        return ended;
    }

    // ---- from the network ----

    void open() {
        if (ended || opened) {
            return;
        }
        opened = true;
        simulator.trace().add(simulator.nowNs(), "open", name, 0, 0);
        engine().onOpen(this);
        ready();
        readSoon();
    }

    void openFailed(ConnectFailure failure) {
        if (ended || opened) {
            return;
        }
        simulator
                .trace()
                .add(simulator.nowNs(), "open failed", name, failure.errno().number(), 0);
        ended = true;
        try {
            engine().onOpenFailed(failure);
        } finally {
            forget();
        }
    }

    void onArrived(byte[] bytes) {
        if (ended) {
            in().taken(bytes.length);
            out().sendReset();
            return;
        }
        inbox.add(bytes);
        readSoon();
    }

    void onFin() {
        finArrived = true;
        readSoon();
    }

    /** The peer or somebody in between reset the connection; what was not read yet may be lost. */
    void onReset() {
        if (ended || resetArrived) {
            return;
        }
        resetArrived = true;
        if (in().random().nextBoolean()) {
            discard();
        }
        readSoon();
    }

    void onRoom() {
        ready();
    }

    private void readSoon() {
        if (!readScheduled && opened && !ended) {
            readScheduled = true;
            simulator.at(simulator.nowNs(), this::read);
        }
    }

    private boolean takesInput() {
        return opened && !closeRequested && !resetRequested && !inputEnded && !down;
    }

    private void read() {
        readScheduled = false;
        if (ended || down) {
            discard();
            return;
        }
        SplittableRandom random = in().random();
        for (int reads = 0; inbox.size() > 0; reads++) {
            if (!takesInput()) {
                discard();
                break;
            }
            if (reads == MAX_CALLS || (reads > 0 && random.nextInt(4) == 0)) {
                // somebody else's turn, and this engine's to send
                readSoon();
                return;
            }
            int limit = Math.min(in().options().maxReadBytes(), inbox.size());
            give(random.nextInt(1, limit + 1), random.nextInt(8));
        }
        if (resetArrived) {
            down = true;
            ready();
        } else if (finArrived && !inputEnded) {
            boolean tell = takesInput();
            inputEnded = true;
            if (tell) {
                engine().onEndOfStream();
            }
            ready();
        }
    }

    private void give(int length, int alignment) {
        MemorySegment scratch = driver.host().network().scratch();
        inbox.take(scratch, alignment, length);
        int consumed = engine().onBytes(scratch, alignment, length);
        if (consumed < length && takesInput()) {
            throw new AssertionError(name + " consumed " + consumed + " of " + length + " bytes and did not close");
        }
        in().taken(length);
        ready();
    }

    private void discard() {
        int waiting = inbox.clear();
        if (waiting > 0) {
            in().taken(waiting);
        }
    }

    // ---- settling ----

    private void ready() {
        if (!settleScheduled && !ended) {
            settleScheduled = true;
            simulator.at(simulator.nowNs(), () -> {
                settleScheduled = false;
                settle();
            });
        }
    }

    private void settle() {
        if (ended) {
            return;
        }
        if (!down) {
            if (mayPump()) {
                pump();
            }
            endIfDue();
        }
        if (down && opened) {
            ended = true;
            simulator.trace().add(simulator.nowNs(), "closed", name, 0, 0);
            try {
                engine().onClosed();
            } finally {
                forget();
            }
        } else if (!ended) {
            rearm();
        }
    }

    private boolean mayPump() {
        return opened && !outputEnded && !closeRequested && !resetRequested && !down;
    }

    private void pump() {
        for (int calls = 0; mayPump(); calls++) {
            if (calls == MAX_CALLS) {
                ready();
                return;
            }
            boolean full = !out().hasRoom();
            int sent = engine().pollTransmit(out());
            if (sent == 0) {
                boolean refused = full || driver.host().network().sink().wasRefused();
                if (!refused && mayPump() && engine().pollTransmit(out()) > 0) {
                    throw new AssertionError(name + " had nothing to send and then sent without new input");
                }
                return;
            }
        }
    }

    private void endIfDue() {
        if (!opened) {
            if (resetRequested) {
                giveUp();
            }
            return;
        }
        if (resetRequested) {
            out().sendReset();
            down = true;
            return;
        }
        if (closeRequested && !outputEnded) {
            outputEnded = true;
            lingerEndNs = simulator.nowNs() + LINGER_NS;
            out().finish();
        }
        if (outputEnded && inputEnded) {
            down = true;
        }
    }

    private void giveUp() {
        if (out != null) {
            out().sendReset();
        }
        openFailed(new ConnectFailure(
                ConnectFailure.Kind.ERROR, Errno.ECONNRESET, "connecting to " + remote + " was given up"));
    }

    private void forget() {
        ended = true;
        armedNs = Engine.NO_DEADLINE;
        if (opened) {
            discard();
        }
        answered();
        streams.forget(this);
    }

    private void answered() {
        if (listening != null) {
            listening.answered(this);
        }
    }

    // ---- time ----

    private void rearm() {
        long wakeNs = lingerEndNs;
        if (opened) {
            wakeNs = Math.min(wakeNs, engine().nextDeadlineNs());
        }
        if (wakeNs != armedNs) {
            armedNs = wakeNs;
            if (wakeNs != Engine.NO_DEADLINE) {
                long thisOne = wakeNs;
                simulator.timerAt(wakeNs, () -> onTimer(thisOne));
            }
        }
    }

    private void onTimer(long timerNs) {
        if (ended || timerNs != armedNs) {
            return;
        }
        armedNs = Engine.NO_DEADLINE;
        long nowNs = simulator.nowNs();
        if (lingerEndNs <= nowNs) {
            lingerEndNs = Engine.NO_DEADLINE;
            if (!inputEnded) {
                out().sendReset();
            }
            down = true;
        } else {
            engine().onTimeout();
        }
        ready();
    }

    // ---- the end of the device ----

    /** Ends the stream in good order if it is up, at once if not. */
    void end() {
        if (closeRequested || resetRequested || ended) {
            return;
        }
        if (opened && engine().negotiated() != null) {
            disconnect();
        } else {
            reset();
        }
    }

    void dropNow() {
        resetRequested = true;
        settle();
    }

    // ---- StreamHandle ----

    @Override
    public void requestTransmit() {
        ready();
    }

    @Override
    public void close() {
        closeRequested = true;
        ready();
    }

    @Override
    public void reset() {
        resetRequested = true;
        ready();
    }

    // ---- StreamConnection ----

    @Override
    public @Nullable InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public void accept(QueuePairCore queuePair, StreamParameters parameters) {
        answering().accept(queuePair, parameters);
        ready();
        answered();
    }

    @Override
    public void reject(byte[] privateData) {
        answering().reject(privateData);
        ready();
        answered();
    }

    private CheckedEngine answering() {
        if (ended) {
            throw new VerbsException(Errno.EINVAL, "there is no request of " + remote + " to answer");
        }
        return engine();
    }

    @Override
    public void disconnect() {
        if (!ended) {
            engine().disconnect();
            ready();
        }
    }

    @Override
    public void abort() {
        reset();
    }

    @Override
    public @Nullable MpaNegotiated negotiated() {
        return engine().negotiated();
    }

    @Override
    public String toString() {
        return name;
    }
}
