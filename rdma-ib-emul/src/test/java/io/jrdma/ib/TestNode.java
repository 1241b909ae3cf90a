package io.jrdma.ib;

import io.jrdma.testkit.engine.TestDevice;
import io.jrdma.verbs.Access;
import io.jrdma.verbs.AddressVector;
import io.jrdma.verbs.AsyncEvent;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.verbs.queue.CompletionPort;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.DatagramPort;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** A device with one queue pair, or more, and one region of memory; without an application, a loop or sockets. */
final class TestNode extends TestDevice {
    /** Above all source ids, which are numbers of nodes: an engine that takes one for the other is found out. */
    private static final int FIRST_PATH = 1000;

    static final Set<Access> RIGHTS =
            EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ, Access.REMOTE_ATOMIC);
    static final int ALL = Access.mask(RIGHTS);

    final IbDevice device;
    final CompletionPort sends;
    final CompletionPort receives;
    final QueuePairCore qp;
    final int index;
    final TestNetwork network;
    final TestNetwork.Sink sink;
    int interfaceMtu = 9000;
    int receiveBufferBytes = 4 << 20;
    int pins;
    /** All that were ever pinned, by id less {@link #FIRST_PATH}. */
    private final List<Path> paths = new ArrayList<>();
    /** A source id that was given to another host. */
    int reusedSource = -1;

    int reusedFor;

    TestNode(TestNetwork network, QueuePairOptions options, long seed, int bytes) {
        super(new IbProvider().attributes(), network.clock, seed, Arena.ofAuto().allocate(bytes, 4096), ALL);
        this.network = network;
        device = (IbDevice) new IbProvider().open(this);
        index = network.add(this);
        sink = new TestNetwork.Sink(network, index);
        device.onOpen(new Port(), network.clock.nowNs());
        sends = new CompletionPort(1, 1 << 12, () -> {}, () -> {
            throw new AssertionError("send completions overflow");
        });
        receives = new CompletionPort(2, 1 << 12, () -> {}, () -> {
            throw new AssertionError("receive completions overflow");
        });
        qp = newQueuePair(options, 0x100 + index);
    }

    QueuePairCore newQueuePair(QueuePairOptions options, int qpNum) {
        return newQueuePair(options, qpNum, receives);
    }

    /** With another completion queue for its receives than the rest. */
    QueuePairCore newQueuePair(QueuePairOptions options, int qpNum, CompletionPort ofReceives) {
        QueuePairCore core = new QueuePairCore(qpNum, PD, options, sends, ofReceives, this, driver);
        core.attach(device);
        return core;
    }

    static QueuePairOptions options() {
        return QueuePairOptions.rc(null);
    }

    /** What a connection needs to know of one side. */
    record Link(
            int pathMtu,
            int psn,
            int timeout,
            int retryCnt,
            int rnrRetry,
            int minRnrTimer,
            int maxRdAtomic,
            int maxDestRdAtomic) {
        static final Link DEFAULT = new Link(1024, 0, 14, 7, 7, 1, 4, 4);

        Link withMtu(int mtu) {
            return new Link(mtu, psn, timeout, retryCnt, rnrRetry, minRnrTimer, maxRdAtomic, maxDestRdAtomic);
        }

        Link withPsn(int newPsn) {
            return new Link(pathMtu, newPsn, timeout, retryCnt, rnrRetry, minRnrTimer, maxRdAtomic, maxDestRdAtomic);
        }

        Link withTimeout(int newTimeout, int newRetryCnt) {
            return new Link(pathMtu, psn, newTimeout, newRetryCnt, rnrRetry, minRnrTimer, maxRdAtomic, maxDestRdAtomic);
        }

        Link withRnr(int newRnrRetry, int newMinRnrTimer) {
            return new Link(pathMtu, psn, timeout, retryCnt, newRnrRetry, newMinRnrTimer, maxRdAtomic, maxDestRdAtomic);
        }

        Link withDepths(int newMaxRdAtomic, int newMaxDestRdAtomic) {
            return new Link(pathMtu, psn, timeout, retryCnt, rnrRetry, minRnrTimer, newMaxRdAtomic, newMaxDestRdAtomic);
        }
    }

    static void toInit(QueuePairCore core) {
        toInit(core, RIGHTS);
    }

    static void toInit(QueuePairCore core, Set<Access> access) {
        core.modify(QpAttributes.builder()
                .state(QpState.INIT)
                .pKeyIndex(0)
                .port(1)
                .access(access)
                .build());
    }

    static void toRtr(QueuePairCore core, InetAddress peer, int peerQp, int peerPsn, Link link) {
        toRtr(core, AddressVector.to(peer), peerQp, peerPsn, link);
    }

    static void toRtr(QueuePairCore core, AddressVector peer, int peerQp, int peerPsn, Link link) {
        core.modify(QpAttributes.builder()
                .state(QpState.RTR)
                .addressVector(peer)
                .pathMtu(link.pathMtu)
                .destQpNum(peerQp)
                .rqPsn(peerPsn)
                .maxDestRdAtomic(link.maxDestRdAtomic)
                .minRnrTimer(link.minRnrTimer)
                .build());
    }

    static void toRts(QueuePairCore core, Link link) {
        core.modify(QpAttributes.builder()
                .state(QpState.RTS)
                .timeout(link.timeout)
                .retryCnt(link.retryCnt)
                .rnrRetry(link.rnrRetry)
                .sqPsn(link.psn)
                .maxRdAtomic(link.maxRdAtomic)
                .build());
    }

    /** From RESET to RTS. */
    void connect(TestNode peer, Link own, Link peers) {
        connect(qp, peer, peer.qp.qpNum(), own, peers);
    }

    static void connect(QueuePairCore core, TestNode peer, int peerQp, Link own, Link peers) {
        toInit(core);
        toRtr(core, peer.localAddress(), peerQp, peers.psn, own);
        toRts(core, own);
    }

    void postReceive(long id, long offset, int length) {
        qp.postReceive(receive(id, offset, length));
    }

    void postSend(long id, long offset, int length) {
        qp.postSend(send(id, offset, length));
    }

    SendWr fetchAdd(long id, long offset, long add, TestNode at, long atOffset) {
        return send(id, offset, 8)
                .opcode(WrOpcode.ATOMIC_FETCH_AND_ADD)
                .remote(at.address(atOffset), at.key)
                .atomic(add, 0);
    }

    List<String> sendCompletions() {
        return takeText(sends);
    }

    List<String> receiveCompletions() {
        return takeText(receives);
    }

    /** Lets the engine send until it has nothing more or the network takes nothing more; whether it sent anything. */
    boolean poll() {
        boolean any = driver.runTasks();
        sink.begin();
        while (device.pollTransmit(sink, 1 << 16, network.clock.nowNs()) > 0) {
            any = true;
        }
        return any;
    }

    @Override
    public long peerTimeoutNs() {
        return 45_000_000_000L;
    }

    List<AsyncEvent.Type> eventTypes() {
        return events.stream().map(AsyncEvent::type).toList();
    }

    // ---- port ----

    private static final InetAddress[] ADDRESSES = new InetAddress[256];

    static {
        for (int i = 0; i < ADDRESSES.length; i++) {
            ADDRESSES[i] = newAddress(i);
        }
    }

    /** The same object each time, as a driver's are. */
    static InetAddress addressOf(int index) {
        return ADDRESSES[index];
    }

    private static InetAddress newAddress(int index) {
        try {
            return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) (index + 1)});
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Where a path leads. */
    record Path(AddressVector vector, int receiver) {}

    Path path(int id) {
        return paths.get(id - FIRST_PATH);
    }

    InetAddress localAddress() {
        return addressOf(index);
    }

    private final class Port implements DatagramPort {
        @Override
        public InetAddress localAddress() {
            return addressOf(index);
        }

        @Override
        public int interfaceMtu() {
            return interfaceMtu;
        }

        @Override
        public int receiveBufferBytes() {
            return receiveBufferBytes;
        }

        @Override
        public int pin(AddressVector destination) {
            pins++;
            Path path = new Path(destination, destination.destination().getAddress()[3] - 1);
            if (!paths.contains(path)) {
                paths.add(path);
            }
            return FIRST_PATH + paths.indexOf(path);
        }

        @Override
        public void unpin(int pathId) {
            pins--;
        }

        @Override
        public int source(int pathId) {
            return path(pathId).receiver();
        }

        @Override
        public InetAddress address(int sourceId) {
            return sourceId == reusedSource ? addressOf(reusedFor) : addressOf(sourceId);
        }

        @Override
        public void requestTransmit() {}
    }
}
