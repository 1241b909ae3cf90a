package io.jrdma.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.WrOpcode;
import io.jrdma.verbs.spi.ManagementPort;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a peer learns first when a responder refuses a request. */
class FaultOrderTest {
    /** Connection management ends a connection whose queue pair has failed; its message must not come before the NAK. */
    @Test
    void nakGoesOutBeforeWhatConnectionManagementSendsOnAccountOfIt() {
        IbPair pair = new IbPair().connect();
        List<String> completedBefore = new ArrayList<>();
        pair.right.device.management().attach(() -> new SilentListener() {
            @Override
            public void onQueuePairFault(int qpNum, long nowNs) {
                pair.right.device.management().send(pair.left.localAddress(), new byte[ManagementPort.MAD_BYTES]);
            }
        });
        pair.left.device.management().attach(() -> new SilentListener() {
            @Override
            public void onDatagram(InetAddress from, MemorySegment segment, long offset, int length, long nowNs) {
                completedBefore.addAll(pair.left.sendCompletions());
            }
        });

        pair.left.qp.postSend(pair.left
                .send(1, 0, 64)
                .opcode(WrOpcode.RDMA_READ)
                .remote(pair.right.address(0), pair.right.key ^ 0x5500));
        pair.run();

        assertThat(completedBefore).singleElement().asString().startsWith("1 REM_ACCESS_ERR");
    }
}
