package io.jrdma.ib;

import io.jrdma.verbs.AddressVector;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.VerbsException;
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
import io.jrdma.wire.ib.IbMalformed;
import io.jrdma.wire.ib.PathMtu;
import io.jrdma.wire.ib.RoceV2Packet;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The RoCEv2 engine of one device: finds the queue pair of each packet, lets the queue pairs send in turns, and keeps one deadline for
 * all of them. Loop thread only.
 */
public final class IbDevice implements DatagramTransport {
    /** Bytes that an endpoint may send before the others have their turn: one full train of the largest packets. */
    private static final int TURN_BYTES = 1 << 18;

    private static final int P_KEY_BASE = 0x7FFF;

    /** Bytes around a payload that a path must carry: IPv6, UDP, the longest usual headers, ICRC, as Linux reckons for connections. */
    private static final int PACKET_OVERHEAD = 96;

    private final DeviceContext context;
    private final IbCounters counters = new IbCounters();
    private final EndpointTable endpoints = new EndpointTable();
    private final ReadyQueue ready = new ReadyQueue();
    private final DeadlineHeap deadlines = new DeadlineHeap();
    private final TrainWriter writer = new TrainWriter();
    private final ManagementQueuePair management;
    private @Nullable DatagramPort port;

    IbDevice(DeviceContext context) {
        this.context = context;
        this.management = new ManagementQueuePair(this);
        endpoints.add(management);
    }

    /** What happened on the device so far. */
    public IbCounters counters() {
        return counters;
    }

    DeviceContext context() {
        return context;
    }

    /**
     * The port.
     *
     * @throws VerbsException ENODEV if it is not open yet or not any more
     */
    DatagramPort port() {
        DatagramPort current = port;
        if (current == null) {
            throw new VerbsException(Errno.ENODEV, "the device's port is not open");
        }
        return current;
    }

    /** Whether the port is open. */
    boolean isOpen() {
        return port != null;
    }

    /** The first good request came to a queue pair. */
    void established(IbEndpoint queuePair, long nowNs) {
        ManagementListener listener = management.listener();
        if (listener != null) {
            listener.onCommunicationEstablished(queuePair.qpNum, nowNs);
        }
    }

    /** A queue pair went to ERROR by itself. */
    void faulted(IbEndpoint queuePair, long nowNs) {
        ManagementListener listener = management.listener();
        if (listener != null) {
            listener.onQueuePairFault(queuePair.qpNum, nowNs);
        }
    }

    @Override
    public QueuePairEngine createQueuePair(QueuePairCore core) {
        if (endpoints.size() > context.attributes().maxQp()) {
            throw new VerbsException(Errno.ENOMEM, "the device has " + (endpoints.size() - 1) + " queue pairs already");
        }
        return switch (core.options().type()) {
            case RC -> added(new RcQueuePair(this, core));
            case UD -> added(new UdQueuePair(this, core));
            case UC -> throw new VerbsException(Errno.EOPNOTSUPP, "queue pair type UC is not there yet");
        };
    }

    private <T extends IbEndpoint> T added(T queuePair) {
        endpoints.add(queuePair);
        deadlines.reserve(endpoints.size());
        return queuePair;
    }

    @Override
    public int openPath(AddressVector destination) {
        return pin(destination);
    }

    @Override
    public void closePath(int pathId) {
        unpin(pathId);
    }

    /** The path MTU in bytes that fits the port's interface: 256 to 4096. */
    int pathMtu() {
        return Math.max(PathMtu.MIN_BYTES, PathMtu.atMost(port().interfaceMtu() - PACKET_OVERHEAD));
    }

    /** The one of that number, or null. */
    @Nullable
    IbEndpoint endpoint(int qpNum) {
        return endpoints.find(qpNum);
    }

    /** A queue pair is no more. */
    void remove(IbEndpoint endpoint) {
        deadlines.update(endpoint, Engine.NO_DEADLINE);
        ready.remove(endpoint);
        endpoints.remove(endpoint);
    }

    /** An endpoint may have something to send. */
    void ready(IbEndpoint endpoint) {
        ready.add(endpoint);
    }

    /** As {@link #ready}, outside of the driver's calls. */
    void readyNow(IbEndpoint endpoint) {
        ready.add(endpoint);
        DatagramPort current = port;
        if (current != null) {
            current.requestTransmit();
        }
    }

    /** An endpoint's deadline may have changed. */
    void updateDeadline(IbEndpoint endpoint) {
        deadlines.update(endpoint, endpoint.nextDeadlineNs());
    }

    /** Pins the path to a destination. */
    int pin(AddressVector destination) {
        return port().pin(destination);
    }

    /** Takes back a {@link #pin}; harmless when the port is gone. */
    void unpin(int pathId) {
        DatagramPort current = port;
        if (current != null) {
            current.unpin(pathId);
        }
    }

    @Override
    public void onOpen(DatagramPort newPort, long nowNs) {
        port = newPort;
    }

    @Override
    public void onPacket(int sourceId, MemorySegment segment, long offset, int length, int trafficClass, long nowNs) {
        int malformed = RoceV2Packet.check(segment, offset, length);
        if (malformed != IbMalformed.OK) {
            counters.count(IbCounters.ofMalformed(malformed));
            return;
        }
        counters.count(IbCounters.PACKETS_RECEIVED);
        counters.add(IbCounters.BYTES_RECEIVED, length);
        if (IbEndpoint.isCongested(trafficClass)) {
            counters.count(IbCounters.CONGESTED);
        }
        // [IBTA-9.6-1] a packet for a number that is not there is dropped in silence
        IbEndpoint endpoint = endpoints.find(Bth.destQp(segment, offset));
        if (endpoint == null) {
            counters.count(IbCounters.UNKNOWN_QP);
            return;
        }
        // [IBTA-9.6-2] the low 15 bits of the P_Key are those of the receiver's partition
        if ((Bth.pKey(segment, offset) & P_KEY_BASE) != P_KEY_BASE) {
            counters.count(IbCounters.WRONG_P_KEY);
            return;
        }
        endpoint.onPacket(sourceId, segment, offset, length, Bth.opcode(segment, offset), trafficClass, nowNs);
    }

    @Override
    public void onTimeout(long nowNs) {
        for (IbEndpoint first = deadlines.first();
                first != null && first.deadlineNs - nowNs <= 0;
                first = deadlines.first()) {
            long before = first.deadlineNs;
            first.onTimeout(nowNs);
            updateDeadline(first);
            assert first.deadlineNs != before || first.heapIndex < 0 : "an endpoint's deadline stays in the past";
        }
    }

    @Override
    public long nextDeadlineNs() {
        return deadlines.earliestNs();
    }

    @Override
    public int pollTransmit(DatagramSink sink, int maxBytes, long nowNs) {
        writer.begin(sink);
        for (IbEndpoint first = ready.first(); first != null && writer.bytes() < maxBytes; first = ready.first()) {
            writer.limit(Math.min(maxBytes, writer.bytes() + TURN_BYTES));
            boolean more = first.transmit(writer, nowNs);
            updateDeadline(first);
            if (writer.isBlocked()) {
                break; // and it keeps its turn
            }
            ready.remove(first);
            if (more) {
                ready.add(first);
            }
        }
        writer.end();
        counters.add(IbCounters.PACKETS_SENT, writer.packets());
        counters.add(IbCounters.BYTES_SENT, writer.bytes());
        return writer.bytes();
    }

    @Override
    public ManagementPort management() {
        return management;
    }

    @Override
    public void onClosed(long nowNs) {
        port = null;
        for (int slot = 0; slot < endpoints.slots(); slot++) {
            IbEndpoint endpoint = endpoints.at(slot);
            if (endpoint != null) {
                endpoint.onClosed(nowNs);
                ready.remove(endpoint);
                updateDeadline(endpoint);
            }
        }
    }
}
