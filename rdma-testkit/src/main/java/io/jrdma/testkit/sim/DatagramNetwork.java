package io.jrdma.testkit.sim;

import io.jrdma.verbs.AddressVector;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.VerbsException;
import io.jrdma.wire.ib.RoceV2Packet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The datagrams between the hosts of a run: how each direction treats them, and what becomes of single ones. */
public final class DatagramNetwork {
    private record Direction(InetAddress from, InetAddress to) {}

    private final Simulator simulator;
    private final SimNetwork network;
    private final Map<Direction, DatagramLink> links = new LinkedHashMap<>();
    private final Map<InetAddress, SimDatagrams> ports = new LinkedHashMap<>();
    private final SimTrainSink sink = new SimTrainSink();
    private final SimIcrc icrc = new SimIcrc();
    private final MemorySegment scratch = Arena.ofAuto().allocate((1 << 16) + 8);
    private DatagramLinkRule linkRule = (from, to) -> DatagramOptions.CALM;
    private DatagramRule rule = datagram -> DatagramFate.ORDINARY;

    DatagramNetwork(Simulator simulator, SimNetwork network) {
        this.simulator = simulator;
        this.network = network;
    }

    /** How all directions treat datagrams from now on. */
    public void options(DatagramOptions options) {
        options((from, to) -> options);
    }

    /** How each direction treats datagrams from now on; asked once for each that is or comes in use. */
    public void options(DatagramLinkRule newRule) {
        linkRule = newRule;
        links.forEach((direction, link) -> link.options(newRule.options(direction.from, direction.to)));
    }

    /** What becomes of single datagrams from now on, in place of the rule before. */
    public void rule(DatagramRule newRule) {
        rule = newRule;
    }

    /** The direction from one address to another. */
    public DatagramLink link(InetAddress from, InetAddress to) {
        return links.computeIfAbsent(
                new Direction(from, to),
                direction -> new DatagramLink(this, simulator, from, to, linkRule.options(from, to)));
    }

    /** The directions that are or were in use, in the order of their first datagrams. */
    public List<DatagramLink> links() {
        return new ArrayList<>(links.values());
    }

    /** How often that happened, in all directions together. */
    public long count(DatagramFault fault) {
        long sum = 0;
        for (DatagramLink link : links.values()) {
            sum += link.count(fault);
        }
        return sum;
    }

    /**
     * Sends a datagram that no engine made; the direction's options and the rule apply to it.
     *
     * @param from the address that it claims to come from; need not be a host's
     * @param packet what is behind the UDP header, of any length
     * @param sealed whether the last four bytes are to be replaced by the right ICRC, if it is long enough for one
     */
    public void inject(InetAddress from, InetAddress to, byte[] packet, boolean sealed) {
        byte[] copy = packet.clone();
        byte[] headers = IpUdp.headers(from, AddressVector.to(to), 0, copy.length);
        if (sealed && copy.length >= RoceV2Packet.MIN_LENGTH) {
            SimIcrc.seal(headers, copy);
        }
        link(from, to).send(headers, copy, 0xFFFF);
    }

    void calm() {
        DatagramLinkRule before = linkRule;
        linkRule = (from, to) -> before.options(from, to).calmed();
        for (DatagramLink link : links.values()) {
            link.options(link.options().calmed());
        }
        rule = datagram -> DatagramFate.ORDINARY;
    }

    DatagramRule rule() {
        return rule;
    }

    /** Where engines write; one for all, as only one is called at a time. */
    SimTrainSink sink() {
        return sink;
    }

    SimIcrc icrc() {
        return icrc;
    }

    /** What engines are lent input in; one for all. */
    MemorySegment scratch() {
        return scratch;
    }

    void checkFree(InetAddress address) {
        if (ports.containsKey(address)) {
            throw new VerbsException(
                    Errno.EADDRINUSE,
                    "UDP port of " + address.getHostAddress() + " is in use on the simulated network");
        }
    }

    void open(InetAddress address, SimDatagrams port) {
        checkFree(address);
        ports.put(address, port);
    }

    void close(InetAddress address) {
        ports.remove(address);
    }

    void arrive(Datagram datagram) {
        Capture capture = network.recording();
        if (capture != null) {
            capture.datagram(simulator.nowNs(), datagram);
        }
        SimDatagrams port = ports.get(datagram.to());
        if (port == null) {
            datagram.link().note(DatagramFault.NO_PORT, datagram, datagram.length());
        } else {
            port.onArrived(datagram);
        }
    }
}
