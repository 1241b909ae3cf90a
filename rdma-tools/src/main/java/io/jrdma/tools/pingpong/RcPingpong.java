package io.jrdma.tools.pingpong;

import io.jrdma.tools.Completions;
import io.jrdma.tools.ToolException;
import io.jrdma.verbs.Access;
import io.jrdma.verbs.AddressVector;
import io.jrdma.verbs.MemoryRegion;
import io.jrdma.verbs.ProtectionDomain;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.QueuePair;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/** One side of a ping-pong on a reliable connected queue pair that is brought up by hand. One thread. */
final class RcPingpong implements AutoCloseable {
    private static final int PSN_MASK = 0xFF_FFFF;
    /** The C tool's: 67 ms until a packet is repeated, seven times, and for ever while the peer has no receive posted. */
    private static final int TIMEOUT = 14;

    private static final int RETRIES = 7;
    private static final int RNR_TIMER = 12;
    private static final int PAGE = 4096;
    private final RdmaDevice device;
    private final PingpongSettings settings;
    private final boolean client;
    private final Arena arena = Arena.ofShared();
    private final ProtectionDomain domain;
    private final Completions completions;
    private final QueuePair queuePair;
    private final MemoryRegion sent;
    private final MemoryRegion received;
    private final int psn = ThreadLocalRandom.current().nextInt(PSN_MASK + 1);
    private final RecvWr receive = new RecvWr();
    private final SendWr send = new SendWr();
    private int receivesLeft;

    /** The queue pair in INIT, with its receives posted. */
    RcPingpong(RdmaDevice device, PingpongSettings settings, boolean client) {
        this.device = device;
        this.settings = settings;
        this.client = client;
        domain = device.allocateProtectionDomain();
        completions = new Completions(device, settings.receiveDepth() + 1, settings.patience());
        queuePair = domain.createQueuePair(QueuePairOptions.rc(completions.queue())
                .withDepths(1, settings.receiveDepth())
                .withSges(1, 1)
                .withInlineData(0));
        received = domain.register(arena, settings.size(), EnumSet.of(Access.LOCAL_WRITE));
        // a server gives back what it got, as the C one does
        sent = client ? domain.register(arena, settings.size(), Set.of()) : received;
        if (client) {
            fill(sent.segment());
        }
        send.addSge(sent, 0, settings.size());
        receive.addSge(received, 0, settings.size());
        queuePair.modify(QpAttributes.builder()
                .state(QpState.INIT)
                .pKeyIndex(0)
                .port(1)
                .access(Set.of())
                .build());
        fillReceives();
    }

    /** What the peer has to know. */
    PingpongAddress address() {
        return new PingpongAddress(0, queuePair.qpNum(), psn, device.localAddress());
    }

    /** To RTR and RTS, towards that peer. */
    void connect(PingpongAddress peer) {
        queuePair.modify(QpAttributes.builder()
                .state(QpState.RTR)
                .addressVector(AddressVector.to(peer.gid()))
                .pathMtu(settings.mtu())
                .destQpNum(peer.qpNum())
                .rqPsn(peer.psn())
                .maxDestRdAtomic(1)
                .minRnrTimer(RNR_TIMER)
                .build());
        queuePair.modify(QpAttributes.builder()
                .state(QpState.RTS)
                .timeout(TIMEOUT)
                .retryCnt(RETRIES)
                .rnrRetry(RETRIES)
                .sqPsn(psn)
                .maxRdAtomic(1)
                .build());
    }

    /**
     * So many messages each way; the client begins.
     *
     * @return how long it took, in nanoseconds
     */
    long run() throws InterruptedException {
        long begin = System.nanoTime();
        int toSend = settings.iterations();
        int toReceive = settings.iterations();
        boolean sendPending = false;
        boolean answerDue = client;
        while (toReceive > 0 || toSend > 0 || sendPending) {
            if (answerDue && !sendPending && toSend > 0) {
                queuePair.postSend(send);
                sendPending = true;
                answerDue = false;
                toSend--;
            }
            WorkCompletion completion = next();
            if (!completion.isSuccess()) {
                throw ToolException.failed(Completions.describe(completion));
            }
            if (completion.opcode() == WcOpcode.RECV) {
                if (completion.byteLength() != settings.size()) {
                    throw ToolException.failed("a message of " + completion.byteLength() + " bytes came; "
                            + settings.size() + " were due: start both sides with the same -s");
                }
                toReceive--;
                answerDue = true;
                validate();
                if (--receivesLeft <= 1) {
                    fillReceives();
                }
            } else {
                sendPending = false;
            }
        }
        return System.nanoTime() - begin;
    }

    @SuppressWarnings("ThreadPriorityCheck") // nothing relies on it
    private WorkCompletion next() throws InterruptedException {
        if (!settings.events()) {
            long begin = System.nanoTime();
            while (!completions.isAnyThere()) {
                // where processors are few, it is the device's loop that has use for this one
                Thread.yield();
                if (System.nanoTime() - begin > settings.patience().toNanos()) {
                    break; // the wait below says so
                }
            }
        }
        return completions.next();
    }

    private void fillReceives() {
        while (receivesLeft < settings.receiveDepth()) {
            queuePair.postReceive(receive);
            receivesLeft++;
        }
    }

    /** No two pages alike, and 0 where one begins, which is what the C client sends when it validates. */
    private static void fill(MemorySegment data) {
        for (long at = 0; at < data.byteSize(); at++) {
            data.set(ValueLayout.JAVA_BYTE, at, (byte) (at % PAGE * 31 + (at % PAGE == 0 ? 0 : at / PAGE)));
        }
    }

    private void validate() {
        if (settings.validate() && client) {
            long at = sent.segment().mismatch(received.segment());
            if (at >= 0) {
                throw ToolException.failed("invalid data in the server's message at byte " + at);
            }
        }
    }

    /** Goes on to acknowledge what the peer repeats: a server whose last acknowledgement was lost would fail when this side is through. */
    void linger() throws InterruptedException {
        if (client) {
            Thread.sleep(settings.linger());
        }
    }

    @Override
    public void close() {
        domain.close();
        completions.close();
        arena.close();
    }
}
