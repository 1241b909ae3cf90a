package io.jrdma.interop.peer;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** rping over rdma_rxe. A client that finds nobody is answered with REJ reason 8, invalid service id. */
@KernelPeer(RdmaLink.RXE)
class RoceRpingPeerTest extends RpingPeerCases {
    RoceRpingPeerTest() {
        super("roce");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0"})
    void cClientReachesAJavaServerThatListensOnAllAddresses(String wildcard, PeerRig rig) {
        checkJavaServerOnAllAddresses(rig, wildcard);
    }
}
