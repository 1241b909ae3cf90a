package io.jrdma.interop.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The C tools against each other, between two guests: a pair that fails by itself would prove nothing about us. This is
 * also where it shows what their exit codes are worth.
 */
@KernelPeer(RdmaLink.SIW)
class GuestToGuestTest {
    private static final int SECOND = 3;
    private static final Duration LIMIT = Duration.ofSeconds(90);

    @ParameterizedTest
    @ValueSource(strings = {"10.77.0.2", "fd77::2"})
    void rpingPassesOverSiw(String server, PeerRig rig) {
        rig.guest(SECOND).use(RdmaLink.SIW);
        GuestJob job = rig.guest().startServer("rping -s -V -a " + server + " -p 7174 -S 4096", 7174, LIMIT);
        rig.guest(SECOND)
                .run("rping -c -V -v -a " + server + " -p 7174 -S 4096 -C 100", LIMIT)
                .orFail();
        assertThat(job.await(LIMIT).exitCode()).isZero();
    }

    @Test
    void rdmaClientAndServerPassOverSiw(PeerRig rig) {
        rig.guest(SECOND).use(RdmaLink.SIW);
        GuestJob job = rig.guest().startServer("rdma_server -s 10.77.0.2 -p 7471", 7471, LIMIT);
        Outcome client =
                rig.guest(SECOND).run("rdma_client -s 10.77.0.2 -p 7471", LIMIT).orFail();
        assertThat(client.output()).contains("rdma_client: end 0");
        assertThat(job.await(LIMIT).orFail().output()).contains("rdma_server: end 0");
    }

    @Test
    void ucmatosePassesOverSiw(PeerRig rig) {
        rig.guest(SECOND).use(RdmaLink.SIW);
        GuestJob job = rig.guest().startServer("ucmatose -b 10.77.0.2 -p 7471", 7471, LIMIT);
        Outcome client =
                rig.guest(SECOND).run("ucmatose -s 10.77.0.2 -p 7471", LIMIT).orFail();
        assertThat(client.output()).contains("test complete").contains("return status 0");
        assertThat(job.await(LIMIT).orFail().output()).contains("return status 0");
    }
}
