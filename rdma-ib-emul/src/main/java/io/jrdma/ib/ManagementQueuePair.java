package io.jrdma.ib;

import io.jrdma.verbs.AddressVector;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.spi.DeviceContext;
import io.jrdma.verbs.spi.Engine;
import io.jrdma.verbs.spi.ManagementListener;
import io.jrdma.verbs.spi.ManagementPort;
import io.jrdma.wire.Psn;
import io.jrdma.wire.ib.Bth;
import io.jrdma.wire.ib.Deth;
import io.jrdma.wire.ib.IbOpcode;
import io.jrdma.wire.ib.RoceV2Head;
import io.jrdma.wire.ib.RoceV2Packet;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** QP1, the General Services Interface (IBTA volume 1, 3.5.3 and 13.5): datagrams of the connection manager, and its timer. */
final class ManagementQueuePair extends IbEndpoint implements ManagementPort {
    /** Datagrams that may wait to be sent. A connection manager repeats what is lost, so a flood costs no more than these. */
    static final int MAX_WAITING = 256;

    private static final int PACKET_BYTES = RoceV2Packet.length(IbOpcode.UD_SEND_ONLY, ManagementPort.MAD_BYTES);

    private final IbDevice device;
    private final byte[][] waiting = new byte[MAX_WAITING][MAD_BYTES];
    private final int[] paths = new int[MAX_WAITING];
    private int head;
    private int tail;
    private int released;
    private int psn;
    private @Nullable ManagementListener listener;
    private long wantedNs = Engine.NO_DEADLINE;

    ManagementQueuePair(IbDevice device) {
        super(Bth.QP_GSI);
        this.device = device;
    }

    @Nullable
    ManagementListener listener() {
        return listener;
    }

    @Override
    public DeviceContext device() {
        return device.context();
    }

    @Override
    public InetAddress localAddress() {
        return device.port().localAddress();
    }

    @Override
    public int pathMtu() {
        return device.pathMtu();
    }

    @Override
    public ManagementListener attach(Supplier<ManagementListener> first) {
        ManagementListener current = listener;
        if (current == null) {
            current = first.get();
            listener = current;
        }
        return current;
    }

    @Override
    public void watch(int qpNum, long nowNs) {
        IbEndpoint endpoint = device.endpoint(qpNum);
        if (endpoint != null) {
            endpoint.watch(nowNs);
        }
    }

    @Override
    public void send(InetAddress to, byte[] mad) {
        if (mad.length != MAD_BYTES) {
            throw new IllegalArgumentException("a management datagram has " + MAD_BYTES + " bytes, not " + mad.length);
        }
        releaseSent();
        if (!device.isOpen() || tail - released == MAX_WAITING) {
            device.counters().count(IbCounters.MADS_DROPPED);
            return;
        }
        int slot = tail & MAX_WAITING - 1;
        try {
            paths[slot] = device.pin(AddressVector.to(to));
        } catch (VerbsException unreachable) {
            device.counters().count(IbCounters.MADS_DROPPED);
            return;
        }
        System.arraycopy(mad, 0, waiting[slot], 0, MAD_BYTES);
        tail++;
        device.readyNow(this);
    }

    @Override
    public void deadline(long deadlineNs) {
        wantedNs = deadlineNs;
        device.updateDeadline(this);
        if (device.isOpen()) {
            device.port().requestTransmit();
        }
    }

    @Override
    long nextDeadlineNs() {
        return wantedNs;
    }

    @Override
    void onTimeout(long nowNs) {
        if (wantedNs != Engine.NO_DEADLINE && wantedNs - nowNs <= 0) {
            wantedNs = Engine.NO_DEADLINE;
            ManagementListener current = listener;
            if (current != null) {
                current.onTimeout(nowNs);
            }
        }
    }

    @Override
    void onPacket(int sourceId, MemorySegment segment, long at, int length, int opcode, int trafficClass, long nowNs) {
        if (opcode != IbOpcode.UD_SEND_ONLY) {
            device.counters().count(IbCounters.WRONG_SERVICE);
            return;
        }
        if (Deth.qKey(segment, at + IbOpcode.dethAt(opcode)) != Deth.Q_KEY_GSI) {
            device.counters().count(IbCounters.WRONG_Q_KEY);
            return;
        }
        device.counters().count(IbCounters.MADS_RECEIVED);
        ManagementListener current = listener;
        if (current != null) {
            current.onDatagram(
                    device.port().address(sourceId),
                    segment,
                    at + IbOpcode.headerBytes(opcode),
                    RoceV2Packet.payloadBytes(segment, at, length),
                    nowNs);
        }
    }

    /** Lets go of the paths of what was sent in earlier calls: the driver is done with it only when such a call is over. */
    private void releaseSent() {
        while (released != head) {
            device.unpin(paths[released++ & MAX_WAITING - 1]);
        }
    }

    @Override
    boolean transmit(TrainWriter writer, long nowNs) {
        releaseSent();
        while (head != tail) {
            if (writer.isTurnOver()) {
                return true;
            }
            int slot = head & MAX_WAITING - 1;
            if (!writer.reserve(paths[slot], PACKET_BYTES, tail - head)) {
                return true;
            }
            MemorySegment segment = writer.segment();
            long at = writer.at();
            int headerBytes = RoceV2Head.putDatagram(
                    segment, at, 0, 0, Bth.DEFAULT_P_KEY, Bth.QP_GSI, psn, Deth.Q_KEY_GSI, Bth.QP_GSI);
            MemorySegment.copy(waiting[slot], 0, segment, ValueLayout.JAVA_BYTE, at + headerBytes, MAD_BYTES);
            writer.push(PACKET_BYTES);
            psn = Psn.next(psn);
            head++;
            device.counters().count(IbCounters.MADS_SENT);
        }
        return false;
    }

    @Override
    void onClosed(long nowNs) {
        head = tail;
        released = tail;
        wantedNs = Engine.NO_DEADLINE;
        ManagementListener current = listener;
        if (current != null) {
            current.onClosed(nowNs);
        }
    }
}
