package io.jrdma.testkit.sim;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.spi.ConnectFailure;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The hosts of a run, and the streams between them; {@link #datagrams} has what goes without a stream. */
public final class SimNetwork {
    /** How long an attempt to connect takes that gets no answer. */
    static final long CONNECT_TIMEOUT_NS = 30_000_000_000L;
    /** How long another attempt that fails takes. */
    static final long CONNECT_FAILURE_NS = 50_000;

    private final Simulator simulator;
    private final Map<InetAddress, SimHost> hosts = new LinkedHashMap<>();
    private final List<SimStream> streams = new ArrayList<>();
    private final DatagramNetwork datagrams;
    private final SimSink sink = new SimSink();
    private final MemorySegment scratch = Arena.ofAuto().allocate((1 << 20) + 8);
    private LinkRule linkRule = (from, to, connection, fromActive) -> LinkOptions.CALM;
    private ConnectRule connectRule = (from, to, connection) -> ConnectRule.Outcome.NORMAL;
    private @Nullable Capture capture;
    private int connections;

    SimNetwork(Simulator simulator) {
        this.simulator = simulator;
        this.datagrams = new DatagramNetwork(simulator, this);
    }

    /** What carries datagrams between the same hosts. */
    public DatagramNetwork datagrams() {
        return datagrams;
    }

    Simulator simulator() {
        return simulator;
    }

    /** Where engines write; one for all, as only one is called at a time. */
    SimSink sink() {
        return sink;
    }

    /** What engines are lent input in; one for all. */
    MemorySegment scratch() {
        return scratch;
    }

    SimHost host(String name, String... addresses) {
        if (addresses.length == 0) {
            throw new IllegalArgumentException("host " + name + " has no address");
        }
        List<InetAddress> own = new ArrayList<>();
        for (String address : addresses) {
            InetAddress parsed = InetAddress.ofLiteral(address);
            if (hosts.containsKey(parsed)) {
                throw new IllegalArgumentException("address " + address + " is taken by " + hosts.get(parsed));
            }
            own.add(parsed);
        }
        SimHost host = new SimHost(this, name, own);
        own.forEach(address -> hosts.put(address, host));
        return host;
    }

    /** How all connections to come behave, in both directions. */
    public void link(LinkOptions options) {
        linkRule = (from, to, connection, fromActive) -> options;
    }

    /** How connections to come behave. */
    public void link(LinkRule rule) {
        linkRule = rule;
    }

    /** What becomes of attempts to connect. */
    public void connecting(ConnectRule rule) {
        connectRule = rule;
    }

    /**
     * Ends stalls, corruption and resets, on streams that are up and on those to come, and all loss of datagrams: what follows has to come
     * to an end.
     */
    public void calm() {
        LinkRule rule = linkRule;
        linkRule = (from, to, connection, fromActive) ->
                rule.options(from, to, connection, fromActive).calmed();
        for (SimStream stream : streams) {
            stream.out().options(stream.out().options().calmed());
        }
        datagrams.calm();
    }

    /** The ends of connections that have not ended, in the order of opening, the active end first. */
    public List<SimStream> streams() {
        return List.copyOf(streams);
    }

    /** Begins to record what the streams and the datagrams carry. */
    public Capture capture() {
        Capture current = capture;
        if (current == null) {
            current = new Capture();
            capture = current;
        }
        return current;
    }

    @Nullable
    Capture recording() {
        return capture;
    }

    void forget(SimStream stream) {
        streams.remove(stream);
    }

    @Nullable
    SimHost hostAt(InetAddress address) {
        return hosts.get(address);
    }

    /** Begins to connect; the result comes to the stream later. */
    void connect(SimStream active, InetSocketAddress remote) {
        int number = connections++;
        SimHost from = active.driver().host();
        ConnectRule.Outcome outcome = connectRule.outcome(from, remote, number);
        SimHost to = hosts.get(remote.getAddress());
        simulator.trace().add(simulator.nowNs(), "connect " + outcome, active.name(), number, 0);
        if (outcome == ConnectRule.Outcome.UNREACHABLE || (outcome == ConnectRule.Outcome.NORMAL && to == null)) {
            fail(active, CONNECT_FAILURE_NS, ConnectFailure.Kind.UNREACHABLE, Errno.EHOSTUNREACH, remote);
        } else if (outcome == ConnectRule.Outcome.TIMEOUT) {
            fail(active, CONNECT_TIMEOUT_NS, ConnectFailure.Kind.UNREACHABLE, Errno.ETIMEDOUT, remote);
        } else if (outcome == ConnectRule.Outcome.REFUSED) {
            fail(active, CONNECT_FAILURE_NS, ConnectFailure.Kind.REFUSED, Errno.ECONNREFUSED, remote);
        } else {
            SimHost peer = Objects.requireNonNull(to);
            LinkOptions there = linkRule.options(from, peer, number, true);
            LinkOptions back = linkRule.options(peer, from, number, false);
            simulator.after(there.maxLatencyNs(), () -> arrive(active, peer, remote, number, there, back));
        }
    }

    private void arrive(
            SimStream active, SimHost peer, InetSocketAddress remote, int number, LinkOptions there, LinkOptions back) {
        if (active.isEnded()) {
            return;
        }
        SimListening listening = peer.listeningAt(remote);
        if (listening == null) {
            fail(active, back.maxLatencyNs(), ConnectFailure.Kind.REFUSED, Errno.ECONNREFUSED, remote);
        } else if (!listening.hasRoom()) {
            fail(active, CONNECT_TIMEOUT_NS, ConnectFailure.Kind.UNREACHABLE, Errno.ETIMEDOUT, remote);
        } else {
            SimStream passive = listening.accept(remote, Objects.requireNonNull(active.localAddress()), number);
            if (passive == null) {
                fail(active, back.maxLatencyNs(), ConnectFailure.Kind.REFUSED, Errno.ECONNREFUSED, remote);
                return;
            }
            StreamLink forward = new StreamLink(simulator, "c" + number + ">", active, passive, there);
            StreamLink backward = new StreamLink(simulator, "c" + number + "<", passive, active, back);
            active.join(forward, passive);
            passive.join(backward, active);
            streams.add(active);
            streams.add(passive);
            if (capture != null) {
                capture.opened(simulator.nowNs(), forward, backward, active.localAddress(), remote);
            }
            passive.open();
            simulator.after(back.maxLatencyNs(), active::open);
        }
    }

    private void fail(SimStream active, long delayNs, ConnectFailure.Kind kind, Errno errno, InetSocketAddress remote) {
        simulator.after(
                delayNs,
                () -> active.openFailed(
                        new ConnectFailure(kind, errno, "connecting to " + remote + ": " + errno.text())));
    }

    /** The host that has the address, or an error as an operating system reports it. */
    SimHost requireHost(InetAddress address) {
        SimHost host = hosts.get(address);
        if (host == null) {
            throw new VerbsException(
                    Errno.EADDRNOTAVAIL, address.getHostAddress() + " is no address of the simulated network");
        }
        return host;
    }
}
