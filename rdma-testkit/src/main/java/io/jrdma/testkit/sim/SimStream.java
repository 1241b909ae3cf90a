package io.jrdma.testkit.sim;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MpaNegotiated;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.ConnectFailure;
import io.jrdma.verbs.spi.Engine;
import io.jrdma.verbs.spi.PassiveStreamEngine;
import io.jrdma.verbs.spi.StreamConnection;
import io.jrdma.verbs.spi.StreamEngine;
import io.jrdma.verbs.spi.StreamHandle;
import io.jrdma.verbs.spi.StreamParameters;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One end of a simulated stream and the engine that it carries. It drives the engine as a driver has to, and fails the run when the engine
 * breaks its contract: it throws on input, sends after it said that it has nothing, consumes too little, keeps a deadline that is over.
 */
public final class SimStream implements StreamConnection, StreamHandle {
    /** How long an end that has sent FIN waits for the other's. */
    static final long LINGER_NS = 5_000_000_000L;

    private static final int MAX_CALLS = 32;
    private static final int MAX_TIMEOUTS = 1_000;
    private static final byte POISON = (byte) 0xA5;

    private final SimStreams streams;
    private final SimDriver driver;
    private final Simulator simulator;
    private final @Nullable SimListening listening;
    private final String name;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private @Nullable StreamEngine engine;
    private @Nullable StreamLink out;
    private @Nullable SimStream peer;
    private byte[] inbox = new byte[256];
    private int inboxFrom;
    private int inboxTo;
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
    private long lastTimeoutNs;
    private int timeouts;

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
        engine = newEngine;
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

    private StreamEngine engine() {
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
        driver.burst(() -> engine().onOpen(this, simulator.nowNs()));
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
            driver.burst(() -> engine().onOpenFailed(failure, simulator.nowNs()));
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
        if (inboxTo + bytes.length > inbox.length) {
            int waiting = inboxTo - inboxFrom;
            byte[] larger = new byte[Math.max(2 * inbox.length, waiting + bytes.length)];
            System.arraycopy(inbox, inboxFrom, larger, 0, waiting);
            inbox = larger;
            inboxFrom = 0;
            inboxTo = waiting;
        }
        System.arraycopy(bytes, 0, inbox, inboxTo, bytes.length);
        inboxTo += bytes.length;
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
        for (int reads = 0; inboxFrom < inboxTo; reads++) {
            if (!takesInput()) {
                discard();
                break;
            }
            if (reads == MAX_CALLS || (reads > 0 && random.nextInt(4) == 0)) {
                // somebody else's turn, and this engine's to send
                readSoon();
                return;
            }
            int limit = Math.min(in().options().maxReadBytes(), inboxTo - inboxFrom);
            give(random.nextInt(1, limit + 1), random.nextInt(8));
        }
        if (resetArrived) {
            down = true;
            ready();
        } else if (finArrived && !inputEnded) {
            boolean tell = takesInput();
            inputEnded = true;
            if (tell) {
                driver.burst(() -> engine().onEndOfStream(simulator.nowNs()));
            }
            ready();
        }
    }

    private void give(int length, int alignment) {
        MemorySegment scratch = driver.host().network().scratch();
        MemorySegment.copy(inbox, inboxFrom, scratch, ValueLayout.JAVA_BYTE, alignment, length);
        inboxFrom += length;
        driver.burst(() -> {
            int consumed = engine().onBytes(scratch, alignment, length, simulator.nowNs());
            if (consumed < 0 || consumed > length || (consumed < length && takesInput())) {
                throw new AssertionError(name + " consumed " + consumed + " of " + length + " bytes and did not close");
            }
        });
        // the engine was lent the bytes for the call only
        scratch.asSlice(alignment, length).fill(POISON);
        in().taken(length);
        ready();
    }

    private void discard() {
        int waiting = inboxTo - inboxFrom;
        inboxFrom = 0;
        inboxTo = 0;
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
                driver.burst(() -> engine().onClosed(simulator.nowNs()));
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
            int sent = poll();
            if (sent == 0) {
                if (!full && !driver.host().network().sink().wasRefused() && mayPump() && poll() > 0) {
                    throw new AssertionError(name + " had nothing to send and then sent without new input");
                }
                return;
            }
        }
    }

    private int poll() {
        SimSink sink = driver.host().network().sink();
        int[] said = new int[1];
        sink.begin(out());
        driver.burst(() -> said[0] = engine().pollTransmit(sink, out().options().pollBytes(), simulator.nowNs()));
        byte[] bytes = sink.end();
        if (said[0] != bytes.length) {
            throw new AssertionError(name + " says that it sent " + said[0] + " bytes, but committed " + bytes.length);
        }
        if (bytes.length > (long) out().options().pollBytes() + SimSink.MAX_CLAIM) {
            throw new AssertionError(name + " sent " + bytes.length + " bytes in one call for "
                    + out().options().pollBytes());
        }
        if (bytes.length > 0) {
            simulator.trace().add(simulator.nowNs(), "send", name, out().committed(), bytes.length);
            out().send(bytes);
        }
        return bytes.length;
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
            timeouts = nowNs == lastTimeoutNs ? timeouts + 1 : 1;
            lastTimeoutNs = nowNs;
            if (timeouts > MAX_TIMEOUTS) {
                throw new AssertionError(name + " wants to be called again and again at " + nowNs + " ns");
            }
            simulator.trace().add(nowNs, "timeout", name, 0, 0);
            driver.burst(() -> engine().onTimeout(nowNs));
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
        driver.burst(() -> passive().accept(queuePair, parameters, simulator.nowNs()));
        ready();
        answered();
    }

    @Override
    public void reject(byte[] privateData) {
        driver.burst(() -> passive().reject(Arrays.copyOf(privateData, privateData.length), simulator.nowNs()));
        ready();
        answered();
    }

    private PassiveStreamEngine passive() {
        if (engine() instanceof PassiveStreamEngine passive && !ended) {
            return passive;
        }
        throw new VerbsException(Errno.EINVAL, "there is no request of " + remote + " to answer");
    }

    @Override
    public void disconnect() {
        if (!ended) {
            driver.burst(() -> engine().disconnect(simulator.nowNs()));
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
