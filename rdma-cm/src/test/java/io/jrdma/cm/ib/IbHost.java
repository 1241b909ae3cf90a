package io.jrdma.cm.ib;

import io.jrdma.cm.fake.FakeTransport;
import io.jrdma.cm.transport.ConnectionOffer;
import io.jrdma.testkit.engine.TestDriver;
import io.jrdma.verbs.Access;
import io.jrdma.verbs.AsyncEvent;
import io.jrdma.verbs.DeviceAttributes;
import io.jrdma.verbs.IbCmOptions;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.memory.MemoryTable;
import io.jrdma.verbs.queue.CompletionPort;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.DeviceContext;
import io.jrdma.verbs.spi.Engine;
import io.jrdma.verbs.spi.ManagementListener;
import io.jrdma.verbs.spi.ManagementPort;
import io.jrdma.wire.cm.CmMad;
import io.jrdma.wire.cm.CmMessage;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.function.Supplier;

/** A device on an {@link IbNetwork}: its loop, its management port, and queue pairs that only take notes. */
final class IbHost extends TestDriver implements ManagementPort, DeviceContext {
    static final int MAX_DEPTH = 16;

    final IbNetwork network;
    final InetAddress address;
    private final long seed;
    private ManagementListener listener;
    private long deadlineNs = Engine.NO_DEADLINE;
    private int nextQpNum;
    int mtu = 1024;
    int maxDepth = MAX_DEPTH;

    IbHost(IbNetwork network, InetAddress address, long seed) {
        super(network::nowNs);
        this.network = network;
        this.address = address;
        this.seed = seed;
        this.nextQpNum = 0x100 * (address.getAddress()[address.getAddress().length - 1] & 0xFF);
    }

    IbCm cm() {
        return IbCm.of(this);
    }

    static CmMessage decode(byte[] mad) {
        return ((CmMad) CmMad.decode(mad)).message();
    }

    static ConnectionOffer offer(int responderResources, int initiatorDepth, byte... privateData) {
        return offer(IbCmOptions.RECOMMENDED, responderResources, initiatorDepth, privateData);
    }

    static ConnectionOffer offer(IbCmOptions options, int responderResources, int initiatorDepth, byte... privateData) {
        return new ConnectionOffer(
                privateData, responderResources, initiatorDepth, 7, 5, true, MpaOptions.RECOMMENDED, options);
    }

    /** An active connection to a port of another host, begun. */
    IbEnd connect(IbHost to, int port, ConnectionOffer offer) {
        IbEnd end = new IbEnd(this, queuePair());
        end.connection = new IbConnection(end);
        end.connection.connect(
                this, null, new InetSocketAddress(to.address, port), end.queuePair, offer, network.nowNs());
        return end;
    }

    IbEnd connect(IbHost to, int port) {
        return connect(to, port, offer(4, 4));
    }

    /** A queue pair in INIT. */
    QueuePairCore queuePair() {
        CompletionPort completions = new CompletionPort(1, 64, () -> {}, () -> {});
        QueuePairCore core =
                new QueuePairCore(nextQpNum++, 1, QueuePairOptions.rc(), completions, completions, this, this);
        core.attach(NoteQueuePair::new);
        core.modify(QpAttributes.builder()
                .state(QpState.INIT)
                .pKeyIndex(0)
                .port(1)
                .access(EnumSet.allOf(Access.class))
                .build());
        return core;
    }

    /** What that queue pair was told. */
    static NoteQueuePair notes(QueuePairCore core) {
        return (NoteQueuePair) core.engine();
    }

    /** Sends a message that no state machine here would send. */
    void send(InetAddress to, long transactionId, CmMessage message) {
        send(to, new CmMad(transactionId, message).encode());
    }

    long nextNs() {
        return hasTasks() ? network.nowNs() : deadlineNs;
    }

    void run(long nowNs) {
        runTasks();
        if (deadlineNs != Engine.NO_DEADLINE && deadlineNs <= nowNs) {
            deadlineNs = Engine.NO_DEADLINE;
            listener.onTimeout(nowNs);
        }
    }

    void receive(InetAddress from, byte[] mad, long nowNs) {
        if (listener != null) {
            listener.onDatagram(from, MemorySegment.ofArray(mad), 0, mad.length, nowNs);
        }
    }

    // ---- ManagementPort ----

    @Override
    public DeviceContext device() {
        return this;
    }

    @Override
    public InetAddress localAddress() {
        return address;
    }

    @Override
    public int pathMtu() {
        return mtu;
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
        network.send(address, to, mad);
    }

    @Override
    public void watch(int qpNum, long nowNs) {}

    @Override
    public void deadline(long newDeadlineNs) {
        deadlineNs = newDeadlineNs;
    }

    // ---- DeviceContext ----

    @Override
    public DeviceAttributes attributes() {
        return FakeTransport.attributes(Transport.ROCE_V2, maxDepth);
    }

    @Override
    public MemoryTable memory() {
        throw new UnsupportedOperationException("no memory here");
    }

    @Override
    public void onAsyncEvent(AsyncEvent event) {}

    @Override
    public long seed() {
        return seed;
    }

    // ---- DeviceDriver ----

    @Override
    public ManagementPort management() {
        return this;
    }
}
