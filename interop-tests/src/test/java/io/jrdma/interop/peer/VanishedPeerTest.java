package io.jrdma.interop.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.cm.RdmaConnectionOptions;
import io.jrdma.cm.RdmaServer;
import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.Transport;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A peer that is idle stays connected, since its kernel gives the signs of life that it is asked for; one that loses its power does not. */
@Tag("kernel-peer")
class VanishedPeerTest {
    private static final int GUEST = 8;
    private static final String PORT = "7477";
    private static final Duration PEER_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @ParameterizedTest
    @EnumSource
    void aConnectionEndsSomeTimeAfterItsPeerVanished(RdmaLink link) {
        Transport transport = link == RdmaLink.SIW ? Transport.IWARP : Transport.ROCE_V2;
        try (PeerNamespace namespace = PeerNamespace.create();
                KernelGuest guest = KernelGuest.boot(namespace, GUEST, GuestFiles.build());
                PeerProcess server = namespace.startJava(IdleServer.class, transport.name())) {
            guest.use(link);
            server.awaitOutput("listening", LIMIT);
            // it sends one message and waits for an answer that never comes
            guest.start("rping -c -C 1 -a " + PeerNamespace.ADDRESS_4 + " -p " + PORT, Duration.ofMinutes(5));
            server.awaitOutput("idle", LIMIT);
            assertThat(server.hasEndedWithin(PEER_TIMEOUT.multipliedBy(3)))
                    .as(server.output())
                    .isFalse();
            guest.close();
            assertThat(server.await(LIMIT).orFail().output()).contains("ended: ");
        }
    }

    /** Takes a connection and a message, and does nothing more. */
    static final class IdleServer {
        private IdleServer() {}

        public static void main(String[] arguments) throws Exception {
            RdmaConnectionOptions options =
                    RdmaConnectionOptions.RECOMMENDED.withDevice(DeviceOptions.DEFAULT.withPeerTimeout(PEER_TIMEOUT));
            try (var server = RdmaServer.listen(
                    Transport.valueOf(arguments[0]), PeerNamespace.ADDRESS_4, Integer.parseInt(PORT), options)) {
                System.out.println("listening");
                try (var client = server.accept()) {
                    client.receive();
                    System.out.println("idle");
                    client.ended().join();
                    System.out.println("ended: " + client.endReason());
                }
            }
        }
    }
}
