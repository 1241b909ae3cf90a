package io.jrdma.interop.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.cm.RdmaClient;
import io.jrdma.cm.RdmaConnection;
import io.jrdma.cm.RdmaConnectionOptions;
import io.jrdma.cm.RdmaServer;
import io.jrdma.netty.NettyDriverProvider;
import io.jrdma.netty.NettyOptions;
import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.Transport;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A RoCE device has its address and UDP port to itself; the clients and servers of one process share it. Loopback, a port of our own. */
final class RoceSharedAddressTest {
    private static final int CLIENTS = 3;

    private final RdmaConnectionOptions options = RdmaConnectionOptions.RECOMMENDED
            .withDevice(deviceOptions(freePort()))
            .withTimeout(Duration.ofSeconds(30));

    @Test
    void clientsOfOneProcessReachAServerAtAnotherAddress() throws Exception {
        exchange("127.0.0.2");
    }

    @Test
    void clientsOfOneProcessReachAServerAtTheirOwnAddress() throws Exception {
        exchange("127.0.0.1");
    }

    /** There is one address alone, so both ends are on one device. */
    @Test
    void clientsReachAServerOnTheirOwnDevice() throws Exception {
        exchange("::1");
    }

    private void exchange(String host) throws Exception {
        for (int round = 0; round < 2; round++) { // the second finds the devices of the first closed
            List<AutoCloseable> open = new ArrayList<>();
            try (RdmaServer server = RdmaServer.listen(Transport.ROCE_V2, host, 0, options)) {
                List<RdmaConnection> clients = new ArrayList<>();
                List<RdmaConnection> servers = new ArrayList<>();
                for (int i = 0; i < CLIENTS; i++) {
                    RdmaClient client = RdmaClient.open(Transport.ROCE_V2, options);
                    open.add(client);
                    var connecting = client.connectToAsync(server.localAddress());
                    RdmaConnection accepted = server.accept();
                    open.add(accepted);
                    servers.add(accepted);
                    clients.add(connecting.get());
                }
                for (int i = 0; i < CLIENTS; i++) {
                    clients.get(i).send(("ping " + i).getBytes(StandardCharsets.UTF_8));
                    assertThat(servers.get(i).receive()).asString().isEqualTo("ping " + i);
                    servers.get(i).send(("pong " + i).getBytes(StandardCharsets.UTF_8));
                    assertThat(clients.get(i).receive()).asString().isEqualTo("pong " + i);
                }
                // one goes, the others stay
                open.getFirst().close();
                clients.getLast().send(new byte[1]);
                assertThat(servers.getLast().receive()).hasSize(1);
                for (AutoCloseable each : open.reversed()) {
                    each.close();
                }
            }
        }
        // all are closed: the address is free
        RdmaDevice.open(Transport.ROCE_V2, InetAddress.getByName(host), options.device())
                .close();
    }

    /** Another process has the address from which the client would connect. */
    @Test
    void clientTakesAnotherLoopbackAddressIfItsOwnIsTaken() throws Exception {
        int port = freePort();
        RdmaConnectionOptions with = options.withDevice(deviceOptions(port));
        try (DatagramSocket other = new DatagramSocket(new InetSocketAddress("127.0.0.1", port));
                RdmaServer server = RdmaServer.listen(Transport.ROCE_V2, "127.0.0.2", 0, with);
                RdmaClient client = RdmaClient.open(Transport.ROCE_V2, with)) {
            assertThat(other.isBound()).isTrue();
            var connecting = client.connectToAsync(server.localAddress());
            try (RdmaConnection accepted = server.accept();
                    RdmaConnection connected = connecting.get()) {
                connected.send(new byte[] {7});
                assertThat(accepted.receive()).containsExactly(7);
            }
        }
    }

    private static DeviceOptions deviceOptions(int port) {
        return DeviceOptions.DEFAULT.withDriver(new NettyDriverProvider(
                NettyOptions.builder().rocePort(port).rocePeerPort(port).build()));
    }

    private static int freePort() {
        try (DatagramSocket any = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            return any.getLocalPort();
        } catch (java.io.IOException failure) {
            throw new java.io.UncheckedIOException(failure);
        }
    }
}
