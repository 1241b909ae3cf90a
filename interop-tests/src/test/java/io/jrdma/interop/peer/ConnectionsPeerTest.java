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
    private static final Duration LIMIT = Duration.ofMinutes(6);

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
        assertThat(CRping.serverPings(server.output())).isEqualTo(CONNECTIONS);
    }

    @Test
    void cClientConnectsAgainAndAgainToTheJavaServer(PeerRig rig) {
        try (PeerProcess server =
                rig.namespace().startJrdma("rping", "-s", "-P", "-V", "-a", PeerNamespace.ADDRESS_4, "-p", PORT)) {
            server.awaitListener(Integer.parseInt(PORT), LIMIT);
            String arguments = "-C 1 -a " + PeerNamespace.ADDRESS_4 + " -p " + PORT;
            CRping.checkPings(rig.guest().run(CRping.clients(CONNECTIONS, arguments), LIMIT), CONNECTIONS);
            assertThat(server.isAlive()).isTrue();
        }
    }
}
