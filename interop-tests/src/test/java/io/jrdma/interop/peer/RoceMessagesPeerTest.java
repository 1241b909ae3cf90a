package io.jrdma.interop.peer;

import java.util.List;

/** Plain messages over rdma_rxe. */
@KernelPeer(RdmaLink.RXE)
class RoceMessagesPeerTest extends MessagesPeerCases {
    RoceMessagesPeerTest() {
        super("roce");
    }

    @Override
    List<String> ucmatoseServerOptions() {
        return List.of();
    }
}
