package io.jrdma.interop.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The C tools against each other, between two guests: a pair that fails by itself would prove nothing about us. This is
 * also where it shows what their exit codes are worth. {@code ucmatose} is not among them: its server sends at once, and a
 * siw client that finds those bytes behind the Reply gives up with CONNECT_ERROR, which between two guests depends on luck.
 */
@KernelPeer(RdmaLink.SIW)
class GuestToGuestTest {
    private static final int SECOND = 3;
    private static final Duration LIMIT = Duration.ofMinutes(2);

    /**
     * The guest of the clients. What it sends is held back a little: siw's accepting side writes its MPA Reply before it
     * listens for data, and a first message that comes in between stays unread for good. Two guests under emulation hit that
     * gap often enough to notice.
     */
    private static KernelGuest clients(PeerRig rig) {
        KernelGuest guest = rig.guest(SECOND);
        guest.use(RdmaLink.SIW);
        guest.run("tc qdisc replace dev eth0 root netem delay 30ms");
        return guest;
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.77.0.2", "fd77::2"})
    void rpingPassesOverSiw(String server, PeerRig rig) {
        KernelGuest clients = clients(rig);
        String arguments = "-a " + server + " -p 7174 -S 4096";
        GuestJob job = rig.guest().startServer(CRping.server(arguments), 7174, LIMIT);
        CRping.checkPings(clients.run(CRping.client(arguments + " -C 20"), LIMIT), 20);
        CRping.checkPings(job.await(LIMIT), 20);
    }

    /** So its exit code alone says nothing, and tests count the pings as well. */
    @Test
    void rpingClientWhoseServerLeavesExitsWith0AllTheSame(PeerRig rig) {
        KernelGuest clients = clients(rig);
        GuestJob job = rig.guest().startServer("timeout 5 rping -s -a 10.77.0.2 -p 7174", 7174, LIMIT);
        Outcome client = clients.run("rping -c -a 10.77.0.2 -p 7174 -C 1000000", LIMIT);
        assertThat(job.await(LIMIT).exitCode()).isEqualTo(Outcome.TIME_UP);
        assertThat(client.exitCode()).isZero();
    }

    @Test
    void rdmaClientAndServerPassOverSiw(PeerRig rig) {
        KernelGuest clients = clients(rig);
        GuestJob job = rig.guest().startServer("rdma_server -s 10.77.0.2 -p 7471", 7471, LIMIT);
        Outcome client = clients.run("rdma_client -s 10.77.0.2 -p 7471", LIMIT).orFail();
        assertThat(client.output()).contains("rdma_client: end 0");
        assertThat(job.await(LIMIT).orFail().output()).contains("rdma_server: end 0");
    }
}
