package io.jrdma.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.cm.fake.FakeNetwork;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.QueuePair;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.Transport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A server's and a client's event channel on one network in memory, run by the test's thread. */
final class CmPair implements AutoCloseable {
    static final Duration LONG = Duration.ofSeconds(30);
    static final InetSocketAddress SERVER = address("127.0.0.1", 7471);

    static final InetSocketAddress CLIENT = address("127.0.0.2", 0);

    final Transport transport;
    final FakeNetwork network = FakeNetwork.manual();
    final RdmaEventChannel server = RdmaEventChannel.create(network.options());
    final RdmaEventChannel client = RdmaEventChannel.create(network.options());

    CmPair() {
        this(Transport.IWARP);
    }

    CmPair(Transport transport) {
        this.transport = transport;
        if (transport == Transport.ROCE_V2) {
            // a host has one RoCE device at an address, and here the client is not the server
            network.routesStartAt(CLIENT.getAddress());
        }
    }

    /** Both ends of a connection. */
    record Connected(RdmaCmId active, RdmaCmId passive) {}

    static InetSocketAddress address(String literal, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByName(literal), port);
        } catch (UnknownHostException noLiteral) {
            throw new AssertionError(noLiteral);
        }
    }

    static RdmaDevice deviceOf(RdmaCmId id) {
        RdmaDevice device = id.device();
        assertThat(device).as("device of %s", id).isNotNull();
        return device;
    }

    /** A queue pair for the id, with domain and completion queue of its own. */
    static QueuePair queuePair(RdmaCmId id) {
        RdmaDevice device = deviceOf(id);
        return id.createQueuePair(
                device.allocateProtectionDomain(), QueuePairOptions.rc(device.createCompletionQueue(64)));
    }

    RdmaCmId listen() {
        return listen(SERVER, 8);
    }

    RdmaCmId listen(InetSocketAddress at, int backlog) {
        RdmaCmId id = server.createId(transport);
        id.bind(at);
        id.listen(backlog, MpaOptions.RECOMMENDED);
        return id;
    }

    /** A client's id in ROUTE_RESOLVED. */
    RdmaCmId routed(InetSocketAddress peer) {
        RdmaCmId id = client.createId(transport);
        id.resolveAddress(null, peer, LONG);
        assertThat(next(client)).isInstanceOf(RdmaCmEvent.AddressResolved.class);
        id.resolveRoute(LONG);
        assertThat(next(client)).isInstanceOf(RdmaCmEvent.RouteResolved.class);
        return id;
    }

    /** A client's id that is connecting, with a queue pair. */
    RdmaCmId connecting(InetSocketAddress peer, ConnectionParameters parameters) {
        RdmaCmId id = routed(peer);
        queuePair(id);
        id.connect(parameters);
        return id;
    }

    RdmaCmEvent.ConnectRequest request() {
        return (RdmaCmEvent.ConnectRequest) next(server);
    }

    Connected connected() {
        return connected(ConnectionParameters.RECOMMENDED, ConnectionParameters.RECOMMENDED);
    }

    /** Connects to the listener at {@link #SERVER}. */
    Connected connected(ConnectionParameters request, ConnectionParameters reply) {
        RdmaCmId active = connecting(SERVER, request);
        RdmaCmId passive = request().id();
        queuePair(passive);
        passive.accept(reply);
        assertThat(next(server)).isInstanceOf(RdmaCmEvent.Established.class);
        assertThat(next(client)).isInstanceOf(RdmaCmEvent.Established.class);
        return new Connected(active, passive);
    }

    /** The channel's next event, run for. */
    RdmaCmEvent next(RdmaEventChannel channel) {
        RdmaCmEvent event = channel.next();
        while (event == null) {
            assertThat(network.step())
                    .as("something happens that makes an event")
                    .isTrue();
            event = channel.next();
        }
        return event;
    }

    /** Everything that the channel still gets when all has come to rest. */
    List<RdmaCmEvent> rest(RdmaEventChannel channel) {
        network.runAll();
        List<RdmaCmEvent> events = new ArrayList<>();
        for (RdmaCmEvent event = channel.next(); event != null; event = channel.next()) {
            events.add(event);
        }
        return events;
    }

    @Override
    public void close() {
        client.close();
        server.close();
        network.runAll();
        assertThat(network.streams()).as("streams left").isZero();
        assertThat(network.devices()).as("devices left").isZero();
    }
}
