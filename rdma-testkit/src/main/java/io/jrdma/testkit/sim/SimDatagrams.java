package io.jrdma.testkit.sim;

import io.jrdma.verbs.AddressVector;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.spi.DatagramPort;
import io.jrdma.verbs.spi.DatagramTransport;
import io.jrdma.verbs.spi.Engine;
import io.jrdma.verbs.spi.Seeds;
import io.jrdma.wire.PacketPrinter;
import io.jrdma.wire.ib.IbMalformed;
import io.jrdma.wire.ib.RoceV2Packet;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The datagram port of one device and the engine behind it. It drives the engine as a driver has to, and fails the run when the engine
 * breaks its contract: it throws on input, sends after it said that it has nothing, writes where the ICRC goes, keeps a deadline that is
 * over.
 */
final class SimDatagrams implements DatagramPort {
    private static final int MAX_CALLS = 32;
    private static final int MAX_TIMEOUTS = 1_000;
    private static final byte POISON = (byte) 0xA5;

    private final SimDriver driver;
    private final DatagramTransport transport;
    private final PortOptions options;
    private final Simulator simulator;
    private final DatagramNetwork network;
    private final SplittableRandom random;
    private final SimPaths paths = new SimPaths();
    private final ArrayDeque<Datagram> inbox = new ArrayDeque<>();
    private int inboxBytes;
    private int unflushed;
    private boolean readScheduled;
    private boolean settleScheduled;
    private boolean flushScheduled;
    private boolean open;
    private long deadlineNs = Engine.NO_DEADLINE;
    private long timerNs = Engine.NO_DEADLINE;
    private long lastTimeoutNs;
    private int timeouts;

    SimDatagrams(SimDriver driver, DatagramTransport transport, PortOptions options) {
        this.driver = driver;
        this.transport = transport;
        this.options = options;
        this.simulator = driver.simulator();
        this.network = driver.host().network().datagrams();
        this.random = new SplittableRandom(Seeds.child(simulator.seed(), "port " + driver.name()));
    }

    DatagramTransport transport() {
        return transport;
    }

    PortOptions options() {
        return options;
    }

    SimPaths paths() {
        return paths;
    }

    private String name() {
        return driver.name();
    }

    void open() {
        network.open(driver.localAddress(), this);
        open = true;
        driver.burst(() -> transport.onOpen(this, simulator.nowNs()));
        ready();
    }

    /** The last words of the engine go out, and the port is gone. */
    void close() {
        if (!open) {
            return;
        }
        pump();
        open = false;
        network.close(driver.localAddress());
        inbox.clear();
        simulator.trace().add(simulator.nowNs(), "port closed", name(), 0, 0);
        driver.burst(() -> transport.onClosed(simulator.nowNs()));
    }

    // ---- from the network ----

    void onArrived(Datagram datagram) {
        if (inboxBytes + datagram.length() > options.receiveBufferBytes()) {
            datagram.link().note(DatagramFault.BUFFER_FULL, datagram, inboxBytes);
            return;
        }
        inbox.add(datagram);
        inboxBytes += datagram.length();
        readSoon();
    }

    private void readSoon() {
        if (!readScheduled) {
            readScheduled = true;
            simulator.at(simulator.nowNs() + random.nextLong(options.maxReadNs() + 1), this::read);
        }
    }

    private void read() {
        readScheduled = false;
        if (!open) {
            return;
        }
        int most = random.nextInt(1, options.maxReadPackets() + 1);
        for (int i = 0; i < most && !inbox.isEmpty(); i++) {
            Datagram datagram = inbox.remove();
            inboxBytes -= datagram.length();
            take(datagram);
        }
        settle();
        if (!inbox.isEmpty()) {
            readSoon();
        }
    }

    private void take(Datagram datagram) {
        byte[] packet = datagram.packet();
        if (packet.length < RoceV2Packet.MIN_LENGTH || (packet.length & 3) != 0) {
            datagram.link().note(DatagramFault.BAD_LENGTH, datagram, packet.length);
        } else if (!network.icrc().isGood(datagram.link().icrcPath(), packet)) {
            datagram.link().note(DatagramFault.BAD_ICRC, datagram, packet.length);
        } else {
            give(datagram, packet);
        }
    }

    private void give(Datagram datagram, byte[] packet) {
        MemorySegment scratch = network.scratch();
        int at = random.nextInt(8);
        MemorySegment.copy(packet, 0, scratch, ValueLayout.JAVA_BYTE, at, packet.length);
        datagram.link().arrived(datagram);
        int sourceId = paths.stranger(datagram.from());
        paths.current(sourceId);
        driver.burst(() ->
                transport.onPacket(sourceId, scratch, at, packet.length, datagram.trafficClass(), simulator.nowNs()));
        paths.current(-1);
        // the engine was lent the bytes for the call only
        scratch.asSlice(at, packet.length).fill(POISON);
    }

    // ---- settling ----

    private void ready() {
        if (!settleScheduled && open) {
            settleScheduled = true;
            simulator.at(simulator.nowNs(), () -> {
                settleScheduled = false;
                settle();
            });
        }
    }

    private void settle() {
        if (open) {
            pump();
            rearm();
        }
    }

    /** Whether the sink takes a train, given what was committed in the call that is going on. */
    boolean hasRoom(int committed) {
        return unflushed + committed < options.sinkBytes()
                && (options.refusePerMille() == 0 || random.nextInt(1000) >= options.refusePerMille());
    }

    private void pump() {
        for (int calls = 0; !flushScheduled; calls++) {
            if (calls == MAX_CALLS) {
                ready();
                return;
            }
            int sent = poll();
            if (sent > 0) {
                continue;
            }
            if (network.sink().wasRefused()) {
                // at least a nanosecond, so that an engine which only claims cannot hold the time up
                flushScheduled = true;
                simulator.after(1 + random.nextLong(options.maxFlushNs() + 1), this::flushed);
            } else if (poll() > 0) {
                throw new AssertionError(name() + " had nothing to send and then sent without new input");
            } else {
                unflushed = 0;
            }
            return;
        }
    }

    private void flushed() {
        flushScheduled = false;
        unflushed = 0;
        settle();
    }

    private int poll() {
        SimTrainSink sink = network.sink();
        int[] said = new int[1];
        sink.begin(this);
        driver.burst(() -> said[0] = transport.pollTransmit(sink, options.pollBytes(), simulator.nowNs()));
        var trains = sink.end();
        int committed = sink.committed();
        if (said[0] != committed) {
            throw new AssertionError(name() + " says that it sent " + said[0] + " bytes, but committed " + committed);
        }
        if (committed > (long) options.pollBytes() + SimTrainSink.MAX_TRAIN) {
            throw new AssertionError(name() + " sent " + committed + " bytes in one call for " + options.pollBytes());
        }
        unflushed += committed;
        for (SimTrainSink.Train train : trains) {
            depart(train);
        }
        return committed;
    }

    private void depart(SimTrainSink.Train train) {
        AddressVector destination = train.destination();
        DatagramLink link = network.link(driver.localAddress(), destination.destination());
        List<byte[]> packets = packets(train);
        simulator
                .trace()
                .add(
                        simulator.nowNs(),
                        "send",
                        link.name(),
                        link.sent(),
                        train.bytes().length,
                        () -> line(link, packets));
        int number = 0;
        for (byte[] packet : packets) {
            int identification = options.randomIdentification() ? random.nextInt(1 << 16) : number++;
            byte[] headers = IpUdp.headers(driver.localAddress(), destination, identification, packet.length);
            SimIcrc.seal(headers, packet);
            link.send(headers, packet, options.interfaceMtu());
        }
    }

    private List<byte[]> packets(SimTrainSink.Train train) {
        byte[] bytes = train.bytes();
        List<byte[]> packets = new ArrayList<>();
        for (int at = 0; at < bytes.length; at += train.segmentBytes()) {
            byte[] packet = Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + train.segmentBytes()));
            MemorySegment segment = MemorySegment.ofArray(packet);
            if (RoceV2Packet.check(segment, 0, packet.length) != IbMalformed.OK) {
                throw new AssertionError(
                        name() + " sent a malformed packet: " + PacketPrinter.roce(segment, 0, packet.length));
            }
            packets.add(packet);
        }
        return packets;
    }

    private static String line(DatagramLink link, List<byte[]> packets) {
        MemorySegment first = MemorySegment.ofArray(packets.getFirst());
        String line = PacketPrinter.roce(link.icrcPath(), first, 0, first.byteSize());
        return packets.size() == 1 ? line : line + " and " + (packets.size() - 1) + " more";
    }

    // ---- time ----

    private void rearm() {
        deadlineNs = transport.nextDeadlineNs();
        // a deadline that moves away with every packet costs one timer, which finds out when it comes
        if (deadlineNs < timerNs) {
            long thisOne = deadlineNs;
            timerNs = thisOne;
            simulator.timerAt(thisOne, () -> onTimer(thisOne));
        }
    }

    private void onTimer(long thisOne) {
        if (!open || thisOne != timerNs) {
            return;
        }
        timerNs = Engine.NO_DEADLINE;
        long nowNs = simulator.nowNs();
        if (deadlineNs <= nowNs) {
            timeouts = nowNs == lastTimeoutNs ? timeouts + 1 : 1;
            lastTimeoutNs = nowNs;
            if (timeouts > MAX_TIMEOUTS) {
                throw new AssertionError(name() + " wants to be called again and again at " + nowNs + " ns");
            }
            simulator.trace().add(nowNs, "timeout", name(), 0, 0);
            driver.burst(() -> transport.onTimeout(nowNs));
        }
        settle();
    }

    // ---- DatagramPort ----

    private void checkOpen() {
        if (!open) {
            throw new AssertionError(name() + " uses its port after it was closed");
        }
    }

    @Override
    public InetAddress localAddress() {
        return driver.localAddress();
    }

    @Override
    public int interfaceMtu() {
        return options.interfaceMtu();
    }

    @Override
    public int receiveBufferBytes() {
        return options.receiveBufferBytes();
    }

    @Override
    public int pin(AddressVector destination) {
        checkOpen();
        InetAddress address = destination.destination();
        if (address.getClass() != driver.localAddress().getClass()) {
            throw new VerbsException(
                    Errno.EINVAL, address.getHostAddress() + " is of another address family than " + name());
        }
        if (address.isAnyLocalAddress()) {
            throw new VerbsException(Errno.ENETUNREACH, address.getHostAddress() + " cannot be reached");
        }
        return paths.pin(destination);
    }

    @Override
    public void unpin(int pathId) {
        paths.unpin(pathId);
    }

    @Override
    public int source(int pathId) {
        return paths.source(pathId);
    }

    @Override
    public InetAddress address(int sourceId) {
        return paths.address(sourceId);
    }

    @Override
    public void requestTransmit() {
        ready();
    }
}
