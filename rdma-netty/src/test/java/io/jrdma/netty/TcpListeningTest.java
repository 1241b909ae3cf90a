package io.jrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.verbs.DeviceOptions.Progress;
import io.jrdma.verbs.spi.StreamListening;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Who gets through to a listening address. */
class TcpListeningTest {
    private static final int PATIENCE_MS = 10_000;

    static Stream<IoBackend> backends() {
        return Stream.of(IoBackend.values()).filter(IoBackend::isAvailable);
    }

    @ParameterizedTest
    @MethodSource("backends")
    void allIpv4AddressesAreNoIpv6Ones(IoBackend backend) throws Exception {
        try (Peer peer = peer(backend)) {
            StreamListening listening = peer.listen(new InetSocketAddress("0.0.0.0", 0), 4);
            int port = listening.localAddress().getPort();
            assertThat(listening.localAddress()).isEqualTo(new InetSocketAddress("0.0.0.0", port));
            // a backend that cannot have the system refuse it closes it before the first byte
            assertThatThrownBy(() -> {
                        try (Socket client = connect("::1", port)) {
                            client.setSoTimeout(PATIENCE_MS);
                            if (client.getInputStream().read() < 0) {
                                throw new IOException("closed");
                            }
                        }
                    })
                    .isInstanceOf(IOException.class)
                    .hasMessageMatching(backend == IoBackend.IO_URING ? ".*(refused|reset|closed).*" : ".*refused.*");
            try (Socket client = connect("127.0.0.1", port)) {
                assertThat(client.isConnected()).isTrue();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("backends")
    void allAddressesAreThoseOfBothFamilies(IoBackend backend) throws Exception {
        try (Peer peer = peer(backend)) {
            int port = peer.listen(new InetSocketAddress("::", 0), 4)
                    .localAddress()
                    .getPort();
            for (String address : new String[] {"::1", "127.0.0.1"}) {
                try (Socket client = connect(address, port)) {
                    assertThat(client.isConnected()).isTrue();
                }
            }
        }
    }

    private static Peer peer(IoBackend backend) {
        return new Peer(
                new Rig.Way(backend, DriverPair.Driving.AUTOMATIC).options().build(), Progress.AUTOMATIC);
    }

    private static Socket connect(String address, int port) throws IOException {
        Socket client = new Socket();
        try {
            client.connect(new InetSocketAddress(address, port), PATIENCE_MS);
            return client;
        } catch (IOException failure) {
            client.close();
            throw failure;
        }
    }
}
