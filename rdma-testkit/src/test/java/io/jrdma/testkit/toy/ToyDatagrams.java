package io.jrdma.testkit.toy;

import io.jrdma.testkit.toy.ToyDatagramTransport.Bug;
import io.jrdma.verbs.AddressVector;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.DatagramPort;
import io.jrdma.verbs.spi.DatagramSink;
import io.jrdma.verbs.spi.DatagramTransport;
import io.jrdma.verbs.spi.DeviceContext;
import io.jrdma.verbs.spi.Engine;
import io.jrdma.verbs.spi.ManagementListener;
import io.jrdma.verbs.spi.ManagementPort;
import io.jrdma.verbs.spi.QueuePairEngine;
import io.jrdma.wire.ib.Bth;
import io.jrdma.wire.ib.Deth;
import io.jrdma.wire.ib.IbOpcode;
import io.jrdma.wire.ib.RoceV2Head;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One device of the toy transport on datagrams: its queue pairs, and a management queue pair that sends everything once. */
final class ToyDatagrams implements DatagramTransport, ManagementPort {
    private record Mad(InetAddress to, byte[] bytes) {}

    final Bug bug;
    private final DeviceContext context;
    private final Map<Integer, ToyRc> queuePairs = new LinkedHashMap<>();
    private final ArrayDeque<Mad> mads = new ArrayDeque<>();
    private @Nullable DatagramPort port;
    private @Nullable ManagementListener listener;
    private long managementDeadlineNs = Engine.NO_DEADLINE;
    private int strangerSource = -1;
    private int toggle;

    ToyDatagrams(DeviceContext context, Bug bug) {
        this.context = context;
        this.bug = bug;
    }

    DatagramPort port() {
        return Objects.requireNonNull(port);
    }

    @Override
    public QueuePairEngine createQueuePair(QueuePairCore core) {
        ToyRc queuePair = new ToyRc(this, core);
        queuePairs.put(core.qpNum(), queuePair);
        return queuePair;
    }

    void forget(QueuePairCore core) {
        queuePairs.remove(core.qpNum());
    }

    @Override
    public void onOpen(DatagramPort newPort, long nowNs) {
        port = newPort;
    }

    @Override
    public void onPacket(int sourceId, MemorySegment segment, long offset, int length, int trafficClass, long nowNs) {
        if (bug == Bug.THROWS_ON_INPUT) {
            throw new IllegalStateException("planted");
        }
        if (bug == Bug.REMEMBERS_A_STRANGER && strangerSource >= 0) {
            var _ = port().address(strangerSource);
        }
        strangerSource = sourceId;
        MemorySegment packet = segment.asSlice(offset, length);
        int opcode = Bth.opcode(packet, 0);
        int destination = Bth.destQp(packet, 0);
        if (opcode == IbOpcode.UD_SEND_ONLY && destination == Bth.QP_GSI && listener != null && length >= 24) {
            listener.onDatagram(port().address(sourceId), packet, 20, length - 24, nowNs);
            return;
        }
        ToyRc queuePair = queuePairs.get(destination);
        if (queuePair != null) {
            queuePair.onPacket(packet, (trafficClass & 3) == 3, nowNs);
        }
    }

    @Override
    public void onTimeout(long nowNs) {
        queuePairs.values().forEach(queuePair -> queuePair.onTimeout(nowNs));
        if (managementDeadlineNs <= nowNs && listener != null) {
            managementDeadlineNs = Engine.NO_DEADLINE;
            listener.onTimeout(nowNs);
        }
    }

    @Override
    public long nextDeadlineNs() {
        if (bug == Bug.SPINS_ON_A_DEADLINE && !queuePairs.isEmpty()) {
            return 0;
        }
        long next = managementDeadlineNs;
        for (ToyRc queuePair : queuePairs.values()) {
            next = Math.min(next, queuePair.deadlineNs());
        }
        return next;
    }

    @Override
    public int pollTransmit(DatagramSink sink, int maxBytes, long nowNs) {
        if (bug == Bug.CLAIMS_A_STRANGERS_PATH && strangerSource >= 0) {
            sink.tryClaim(99, 256, 1);
        }
        if (bug == Bug.CLAIMS_A_SOURCE && strangerSource >= 0) {
            sink.tryClaim(strangerSource, 256, 1);
        }
        if (bug == Bug.SENDS_AFTER_NOTHING && strangerSource >= 0 && toggle++ % 2 == 0) {
            return 0;
        }
        int sent = sendMads(sink);
        for (ToyRc queuePair : queuePairs.values()) {
            if (sent >= maxBytes) {
                break;
            }
            sent += queuePair.send(sink, maxBytes - sent, nowNs);
        }
        return bug == Bug.LIES_ABOUT_LENGTH && sent > 0 ? sent + 4 : sent;
    }

    private int sendMads(DatagramSink sink) {
        int sent = 0;
        for (Mad mad = mads.peek(); mad != null; mad = mads.peek()) {
            int length = 20 + mad.bytes.length + 4;
            int path = port().pin(AddressVector.to(mad.to));
            boolean room = sink.tryClaim(path, length, 1);
            if (room) {
                MemorySegment packet = sink.segment().asSlice(sink.offset(), length);
                RoceV2Head.putDatagram(packet, 0, 0, 0, Bth.DEFAULT_P_KEY, Bth.QP_GSI, 0, Deth.Q_KEY_GSI, Bth.QP_GSI);
                MemorySegment.copy(mad.bytes, 0, packet, ValueLayout.JAVA_BYTE, 20, mad.bytes.length);
                sink.commit(length);
                mads.remove();
                sent += length;
            }
            port().unpin(path);
            if (!room) {
                break;
            }
        }
        return sent;
    }

    @Override
    public ManagementPort management() {
        return this;
    }

    @Override
    public void onClosed(long nowNs) {
        if (listener != null) {
            listener.onClosed(nowNs);
        }
    }

    @Override
    public DeviceContext device() {
        return context;
    }

    @Override
    public InetAddress localAddress() {
        return port().localAddress();
    }

    @Override
    public int pathMtu() {
        return 1024;
    }

    @Override
    public ManagementListener attach(Supplier<ManagementListener> first) {
        if (listener == null) {
            listener = first.get();
        }
        return listener;
    }

    @Override
    public void send(InetAddress to, byte[] mad) {
        mads.add(new Mad(to, mad.clone()));
        port().requestTransmit();
    }

    @Override
    public void watch(int qpNum, long nowNs) {}

    @Override
    public void deadline(long deadlineNs) {
        managementDeadlineNs = deadlineNs;
        port().requestTransmit();
    }
}
