package io.jrdma.interop.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Two hundred connections one after another, each way, without a hang. siw's accepting side has a gap at the start of a
 * connection, in which a first message goes unnoticed; a client that sends at once falls into it every few connections, and
 * has to get out again by itself.
 */
@KernelPeer(RdmaLink.SIW)
class ConnectionsPeerTest {
    private static final int CONNECTIONS = 200;
    private static final String PORT = "7190";
    private static final Duration LIMIT = Duration.ofMinutes(4);

    @Test
    void javaClientConnectsAgainAndAgainToTheCServer(PeerRig rig) {
        KernelGuest guest = rig.guest();
        GuestJob server = guest.startServer(
                "rping -s -P -v -V -a " + guest.address4() + " -p " + PORT, Integer.parseInt(PORT), LIMIT);
        rig.namespace()
                .runJrdma(
                        LIMIT,
                        "rping",
                        "-c",
                        "-V",
                        "-C",
                        "1",
                        "--connections",
                        Integer.toString(CONNECTIONS),
                        "-a",
                        guest.address4(),
                        "-p",
                        PORT)
                .orFail();
        assertThat(server.output().lines().filter(line -> line.startsWith("server ping data: rdma-ping-0: ")))
                .hasSize(CONNECTIONS);
    }

    @Test
    void cClientConnectsAgainAndAgainToTheJavaServer(PeerRig rig) {
        String clients = """
                i=0
                while [ $i -lt %d ]; do
                    timeout -k 2 20 rping -c -v -V -C 1 -a %s -p %s >>/tmp/rping.out 2>&1 || { echo "stuck at $i"; break; }
                    i=$((i + 1))
                done
                echo "connections: $i, pings: $(grep -c '^ping data: rdma-ping-0: ' /tmp/rping.out)"
                grep -v '^ping data: ' /tmp/rping.out | sort | uniq -c
                rm /tmp/rping.out
                """.formatted(CONNECTIONS, PeerNamespace.ADDRESS_4, PORT);
        try (PeerProcess server =
                rig.namespace().startJrdma("rping", "-s", "-P", "-V", "-a", PeerNamespace.ADDRESS_4, "-p", PORT)) {
            server.awaitListener(Integer.parseInt(PORT), LIMIT);
            assertThat(rig.guest().run(clients, LIMIT).orFail().output())
                    .contains("connections: " + CONNECTIONS + ", pings: " + CONNECTIONS + "\n");
            assertThat(server.isAlive()).isTrue();
        }
    }
}
