package io.jrdma.netty;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MpaNegotiated;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.ConnectFailure;
import io.jrdma.verbs.spi.PassiveStreamEngine;
import io.jrdma.verbs.spi.StreamHandle;
import io.jrdma.verbs.spi.StreamListener;
import io.jrdma.verbs.spi.StreamParameters;
import io.jrdma.verbs.spi.TransmitSink;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A stream engine for tests. After a handshake of one byte each way ('?', then '+' or '-') both sides send a pattern in which each byte
 * depends on its place in the stream, so that the receiver notices any byte that is lost, repeated or misplaced.
 */
final class PatternEngine implements PassiveStreamEngine {
    private static final int CLAIM_BYTES = 16 << 10;
    private static final int PERIOD = 251;
    private static final byte[] PATTERN = new byte[2 * CLAIM_BYTES + PERIOD];

    static {
        for (int i = 0; i < PATTERN.length; i++) {
            PATTERN[i] = (byte) (i % PERIOD);
        }
    }

    private static final MemorySegment PATTERN_SEGMENT = MemorySegment.ofArray(PATTERN);

    final PatternTransport transport;
    final boolean active;
    final StreamListener listener;
    final List<String> inputs = new CopyOnWriteArrayList<>();
    volatile StreamHandle stream;
    volatile long sent;
    volatile long received;
    volatile long wrongAt = -1;
    volatile boolean established;
    volatile long timeouts;
    /** Sends back as many bytes as it gets. */
    volatile boolean echoes;
    /** Closes when the peer has finished sending. */
    volatile boolean closesAtEnd = true;
    /** The name of the method that throws. */
    volatile String throwsIn = "";

    volatile long deadlineNs = NO_DEADLINE;
    private long toSend;
    private int handshakeByte = -1;
    private boolean waitsForAnswer;
    private boolean closing;

    PatternEngine(PatternTransport transport, boolean active, StreamListener listener) {
        this.transport = transport;
        this.active = active;
        this.listener = listener;
    }

    /** Loop only. */
    void send(long bytes) {
        toSend += bytes;
        stream.requestTransmit();
    }

    private void input(String name) {
        inputs.add(name);
        if (throwsIn.equals(name)) {
            throw new IllegalStateException("planted in " + name);
        }
    }

    @Override
    public void onOpen(StreamHandle newStream, long nowNs) {
        stream = newStream;
        input("onOpen");
        if (active) {
            handshakeByte = '?';
        } else if (transport.handshakeTimeoutNs > 0) {
            deadlineNs = nowNs + transport.handshakeTimeoutNs;
        }
        transport.opened.add(this);
    }

    @Override
    public void onOpenFailed(ConnectFailure failure, long nowNs) {
        input("onOpenFailed");
        listener.onFailed(failure);
    }

    @Override
    public int onBytes(MemorySegment segment, long offset, int length, long nowNs) {
        if (throwsIn.equals("onBytes")) {
            input("onBytes");
        }
        long at = offset;
        int left = length;
        if (!established && left > 0) {
            handshake(segment.get(ValueLayout.JAVA_BYTE, at));
            at++;
            left--;
        }
        check(segment, at, left);
        received += left;
        if (echoes) {
            toSend += left;
        }
        return length;
    }

    private void handshake(byte what) {
        deadlineNs = NO_DEADLINE;
        switch (what) {
            case '?' -> {
                waitsForAnswer = true;
                listener.onRequest(new byte[0], 0, 0);
            }
            case '+' -> establish();
            case '-' -> {
                listener.onRejected(new byte[0]);
                stream.close();
            }
            default -> wrongAt = 0;
        }
    }

    private void establish() {
        established = true;
        listener.onEstablished(new byte[0], negotiated());
    }

    private void check(MemorySegment segment, long offset, int length) {
        long at = 0;
        while (at < length) {
            int phase = (int) ((received + at) % PERIOD);
            long piece = Math.min(length - at, CLAIM_BYTES);
            if (wrongAt < 0
                    && MemorySegment.mismatch(
                                    segment, offset + at, offset + at + piece, PATTERN_SEGMENT, phase, phase + piece)
                            >= 0) {
                wrongAt = received + at;
            }
            at += piece;
        }
    }

    @Override
    public void onEndOfStream(long nowNs) {
        input("onEndOfStream");
        if (closesAtEnd) {
            closing = true;
        }
    }

    @Override
    public void onClosed(long nowNs) {
        input("onClosed");
        deadlineNs = NO_DEADLINE;
        if (established) {
            listener.onDisconnected();
        } else {
            listener.onFailed(new ConnectFailure(ConnectFailure.Kind.REFUSED, Errno.ECONNRESET, "closed"));
        }
    }

    @Override
    public void disconnect(long nowNs) {
        input("disconnect");
        closing = true;
    }

    @Override
    public MpaNegotiated negotiated() {
        return established ? new MpaNegotiated(2, true, false, false, false, false, null, 0, 0) : null;
    }

    @Override
    public void accept(QueuePairCore queuePair, StreamParameters parameters, long nowNs) {
        answer('+');
        establish();
    }

    @Override
    public void reject(byte[] privateData, long nowNs) {
        answer('-');
        closing = true;
    }

    private void answer(int what) {
        if (!waitsForAnswer) {
            throw new VerbsException(Errno.EINVAL, "no request to answer");
        }
        waitsForAnswer = false;
        handshakeByte = what;
    }

    @Override
    public void onTimeout(long nowNs) {
        if (deadlineNs == NO_DEADLINE || deadlineNs - nowNs > 0) {
            return;
        }
        deadlineNs = NO_DEADLINE;
        timeouts++;
        input("onTimeout");
        if (!established) {
            stream.reset();
        }
    }

    @Override
    public long nextDeadlineNs() {
        if (throwsIn.equals("nextDeadlineNs")) {
            input("nextDeadlineNs");
        }
        return deadlineNs;
    }

    @Override
    public int pollTransmit(TransmitSink sink, int maxBytes, long nowNs) {
        if (throwsIn.equals("pollTransmit")) {
            input("pollTransmit");
        }
        int total = 0;
        if (handshakeByte >= 0 && sink.tryClaim(1)) {
            sink.segment().set(ValueLayout.JAVA_BYTE, sink.offset(), (byte) handshakeByte);
            sink.commit(1);
            handshakeByte = -1;
            total++;
        }
        while (toSend > 0 && total < maxBytes) {
            int length = (int) Math.min(toSend, CLAIM_BYTES);
            if (!sink.tryClaim(length)) {
                return total;
            }
            int phase = (int) (sent % PERIOD);
            MemorySegment.copy(PATTERN_SEGMENT, phase, sink.segment(), sink.offset(), length);
            sink.commit(length);
            sent += length;
            toSend -= length;
            total += length;
        }
        if (closing && toSend == 0 && total == 0) {
            closing = false;
            stream.close();
        }
        return total;
    }
}
