package io.jrdma.interop.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.cm.ConnectionParameters;
import io.jrdma.cm.RdmaCmEvent;
import io.jrdma.cm.RdmaCmId;
import io.jrdma.cm.RdmaEventChannel;
import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.QueuePair;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.WorkCompletion;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A server's and a client's event channel, each with its own devices on the loopback interface. */
final class CmEnds implements AutoCloseable {
    static final Duration SOON = Duration.ofSeconds(20);
    /** Long enough for something that must not happen to happen, where nothing else can be waited for. */
    static final Duration MOMENT = Duration.ofMillis(50);

    final RdmaEventChannel server;
    final RdmaEventChannel client;
    RdmaCmId listening;

    /** Both ends of a connection. */
    record Connected(RdmaCmId active, RdmaCmId passive) {}

    CmEnds() {
        this(DeviceOptions.DEFAULT);
    }

    CmEnds(DeviceOptions options) {
        server = RdmaEventChannel.create(options);
        client = RdmaEventChannel.create(options);
    }

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

    static QueuePair queuePair(RdmaCmId id) {
        RdmaDevice device = deviceOf(id);
        return id.createQueuePair(
                device.allocateProtectionDomain(), QueuePairOptions.rc(device.createCompletionQueue(1024)));
    }

    static WorkCompletion[] holders(int count) {
        WorkCompletion[] holders = new WorkCompletion[count];
        for (int i = 0; i < count; i++) {
            holders[i] = new WorkCompletion();
        }
        return holders;
    }

    static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * 7 + 1);
        }
        return bytes;
    }

    static ConnectionParameters withData(byte[] privateData) {
        return ConnectionParameters.builder().privateData(privateData).build();
    }

    /** A connect that gives up soon. */
    static ConnectionParameters impatient() {
        return ConnectionParameters.builder()
                .mpa(MpaOptions.builder().handshakeTimeoutNs(200_000_000L).build())
                .build();
    }

    InetSocketAddress listen(String host, int backlog) {
        listening = server.createId(Transport.IWARP);
        listening.bind(address(host, 0));
        listening.listen(backlog);
        return listening.localAddress();
    }

    static <T extends RdmaCmEvent> T expect(RdmaEventChannel channel, Class<T> type) throws InterruptedException {
        RdmaCmEvent event = channel.poll(SOON);
        assertThat(event).isInstanceOf(type);
        return type.cast(event);
    }

    RdmaCmId routed(InetSocketAddress peer) throws InterruptedException {
        RdmaCmId id = client.createId(Transport.IWARP);
        id.resolveAddress(null, peer, SOON);
        expect(client, RdmaCmEvent.AddressResolved.class);
        id.resolveRoute(SOON);
        expect(client, RdmaCmEvent.RouteResolved.class);
        return id;
    }

    RdmaCmId connecting(InetSocketAddress peer, ConnectionParameters parameters) throws InterruptedException {
        RdmaCmId id = routed(peer);
        queuePair(id);
        id.connect(parameters);
        return id;
    }

    Connected connected(InetSocketAddress peer) throws InterruptedException {
        return connected(peer, ConnectionParameters.RECOMMENDED, ConnectionParameters.RECOMMENDED);
    }

    Connected connected(InetSocketAddress peer, ConnectionParameters request, ConnectionParameters reply)
            throws InterruptedException {
        RdmaCmId active = connecting(peer, request);
        RdmaCmId passive = expect(server, RdmaCmEvent.ConnectRequest.class).id();
        queuePair(passive);
        passive.accept(reply);
        expect(server, RdmaCmEvent.Established.class);
        expect(client, RdmaCmEvent.Established.class);
        return new Connected(active, passive);
    }

    /** Takes what one side has made for an id, and the id itself. */
    static void release(RdmaCmId id) {
        QueuePair own = id.queuePair();
        if (own != null) {
            own.protectionDomain().close();
            own.sendQueue().close();
        }
        id.close();
    }

    static List<String> threads() {
        List<String> names = new ArrayList<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("jrdma-")) {
                names.add(thread.getName());
            }
        }
        return names;
    }

    @Override
    public void close() {
        client.close();
        server.close();
        assertThat(threads()).isEmpty();
    }
}
