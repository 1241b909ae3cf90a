package io.jrdma.interop.peer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** rping over siw: all operations that iWARP has, and what belongs to its start-up. */
@KernelPeer(RdmaLink.SIW)
class RpingPeerTest extends RpingPeerCases {
    RpingPeerTest() {
        super("iwarp");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::"})
    void cClientReachesAJavaServerThatListensOnAllAddresses(String wildcard, PeerRig rig) {
        checkJavaServerOnAllAddresses(rig, wildcard);
    }

    /** CRC is on by default; siw itself does not ask for it, and follows either way. */
    @ParameterizedTest
    @ValueSource(strings = {"--no-crc", "--peer-to-peer", "--no-crc --peer-to-peer"})
    void javaClientPingsTheCServerWithOtherStartUps(String options, PeerRig rig) {
        String address = rig.guest().address4();
        GuestJob server = startCServer(rig.guest(), address, 4096);
        rig.namespace()
                .runJrdma(LIMIT, java("-c", address, 4096, options.split(" ")))
                .orFail();
        CRping.checkPings(server.await(LIMIT), COUNT);
    }

    @Test
    void cClientPingsTheJavaServerWithoutCrc(PeerRig rig) {
        try (PeerProcess server = startJavaServer(rig, PeerNamespace.ADDRESS_4, 4096, "--no-crc")) {
            String arguments = "-a " + PeerNamespace.ADDRESS_4 + " -p " + port + " -C " + COUNT + " -S 4096";
            CRping.checkPings(rig.guest().run(CRping.client(arguments), LIMIT), COUNT);
            server.await(LIMIT).orFail();
        }
    }

    /** siw sends no markers, and refuses a peer that wants them. */
    @Test
    void clientThatWantsMarkersIsRefused(PeerRig rig) {
        String address = rig.guest().address4();
        startCServer(rig.guest(), address, 100);
        assertThat(rig.namespace()
                        .runJrdma(LIMIT, java("-c", address, 100, "--markers"))
                        .exitCode())
                .isEqualTo(3);
    }

    /** Without enhanced connection data siw allows no Reads, so the C server gives up when it has to read. */
    @Test
    void clientOfRevision1ConnectsAndIsLeftByTheServer(PeerRig rig) {
        String address = rig.guest().address4();
        startCServer(rig.guest(), address, 100);
        assertThat(rig.namespace()
                        .runJrdma(LIMIT, java("-c", address, 100, "--mpa-revision", "1"))
                        .exitCode())
                .isEqualTo(1);
    }

    /** rping.c: letters from A to z that go on where the text ends, starting one later each time. */
    @Test
    void cServerReadsTheTextThatTheCClientWouldHaveSent(PeerRig rig) {
        GuestJob server = rig.guest()
                .startServer("rping -s -v -a " + rig.guest().address4() + " -p " + port, Integer.parseInt(port), LIMIT);
        rig.namespace()
                .runJrdma(LIMIT, "rping", "-c", "-a", rig.guest().address4(), "-p", port, "-C", "2", "-S", "40")
                .orFail();
        assertThat(server.await(LIMIT).orFail().output())
                .contains("server ping data: rdma-ping-0: ABCDEFGHIJKLMNOPQRSTUVWXYZ\n")
                .contains("server ping data: rdma-ping-1: BCDEFGHIJKLMNOPQRSTUVWXYZ[\n");
    }
}
