package io.jrdma.interop.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The harness itself: what the other kernel-peer tests take for granted. */
@KernelPeer(RdmaLink.SIW)
class KernelPeerSelfTest {
    private static final int PORT = 7174;
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Test
    void guestRunsTheKernelThatTheVersionsName(PeerRig rig) {
        String kernel = rig.guest().run("uname -r").strip();
        assertThat(rig.versions()).contains("kernel " + kernel + " ");
        System.out.println(
                "Guest kernel " + kernel + ", " + rig.guest().run("rdma link").strip());
    }

    @Test
    void oneDriverIsThereAtATime(KernelGuest guest) {
        assertThat(guest.run("rdma link")).contains("siw0/1 state ACTIVE").doesNotContain("rxe0");
        guest.use(RdmaLink.RXE);
        assertThat(guest.run("rdma link")).contains("rxe0/1 state ACTIVE").doesNotContain("siw0");
        guest.use(RdmaLink.SIW);
        assertThat(guest.run("rdma link")).contains("siw0/1 state ACTIVE").doesNotContain("rxe0");
        assertThat(guest.run("ibv_devinfo -d siw0")).contains("iWARP (1)").contains("PORT_ACTIVE");
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.77.0.2", "fd77::2"})
    void rpingServerAnswersAnMpaRequestWithRevision2(String address, PeerRig rig) {
        GuestJob server = rig.guest().startServer("rping -s -d -a " + address + " -p " + PORT, PORT, LIMIT);
        Outcome probe = rig.namespace().runJava(LIMIT, MpaProbe.class, address, Integer.toString(PORT));
        // IRD 3 covers our ORD, and ORD 5 is all that our IRD allows: rping accepts with whatever was asked for.
        assertThat(probe.orFail().output().strip()).isEqualTo("MPA ID Rep Frame flags=10 revision=2 private=00030005");
        assertThat(server.await(LIMIT).output()).contains("ESTABLISHED").contains("DISCONNECT");
    }

    @Test
    void commandReportsExitCodeAndBothOutputs(KernelGuest guest) {
        Outcome outcome = guest.run("echo one; echo two >&2; printf 'no newline'; exit 7", LIMIT);
        assertThat(outcome.exitCode()).isEqualTo(7);
        assertThat(outcome.output()).isEqualTo("one\ntwo\nno newline");
    }

    @Test
    void commandIsEndedWhenItsTimeIsUp(KernelGuest guest) {
        assertThat(guest.run("echo before; sleep 600; echo after", Duration.ofSeconds(1)))
                .isEqualTo(new Outcome("echo before; sleep 600; echo after", Outcome.TIME_UP, "before\n"));
        assertThat(guest.run("trap '' TERM; while :; do sleep 600; done", Duration.ofSeconds(1))
                        .exitCode())
                .isEqualTo(Outcome.KILLED);
        assertThat(guest.run("ps | grep '[s]leep 600' | wc -l").strip()).isEqualTo("0");
    }

    @Test
    void backgroundCommandsRunBesideOthers(KernelGuest guest) {
        GuestJob waits = guest.start("until [ -e /tmp/go ]; do sleep 0.1; done; echo went; exit 3", LIMIT);
        GuestJob stays = guest.start("echo here; sleep 600", LIMIT);
        guest.run("touch /tmp/go");
        Outcome waited = waits.await(LIMIT);
        assertThat(waited.exitCode()).isEqualTo(3);
        assertThat(waited.output()).isEqualTo("went\n");
        assertThat(stays.output()).isEqualTo("here\n");
        stays.kill();
        assertThat(guest.run("ps | grep '[s]leep 600' | wc -l").strip()).isEqualTo("0");
    }

    @Test
    void backgroundCommandThatHangsFailsTheTestWithTheConsole(KernelGuest guest) {
        GuestJob hangs = guest.start("echo asleep; sleep 600", LIMIT);
        assertThatThrownBy(() -> hangs.await(Duration.ofSeconds(1)))
                .isInstanceOf(GuestFailure.class)
                .hasMessageContaining("asleep")
                .hasMessageContaining("init: up after");
    }

    @Test
    void filesComeOutUnchanged(KernelGuest guest) {
        byte[] bytes = guest.copyOut("/usr/bin/rping");
        guest.run("printf '\\000\\377\\n' >/tmp/odd");
        assertThat(guest.copyOut("/tmp/odd")).containsExactly(0, 0xff, '\n');
        assertThat(bytes)
                .hasSize(Integer.parseInt(guest.run("wc -c </usr/bin/rping").strip()));
        assertThat(bytes).startsWith(0x7f, 'E', 'L', 'F');
    }

    @Test
    void captureHoldsWhatPassesTheBridge(PeerRig rig) throws Exception {
        Path file = GuestFiles.logs().resolve("self-test.pcap");
        PacketCapture capture = PacketCapture.start(rig.namespace(), file);
        rig.guest().run("ping -c 1 -p 6d " + PeerNamespace.ADDRESS_4);
        capture.close();
        assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
                .contains("m".repeat(40));
        capture.discard();
        assertThat(file).doesNotExist();
    }

    @Test
    void guestHurtsPacketsInBothDirections(KernelGuest guest) {
        String hurt = """
                set -e
                tc qdisc add dev eth0 root netem loss 5% duplicate 2% delay 2ms reorder 10%
                ip link set ifb0 up
                tc qdisc add dev eth0 ingress
                tc filter add dev eth0 ingress matchall action mirred egress redirect dev ifb0
                tc qdisc add dev ifb0 root netem loss 5%
                tc qdisc show
                """;
        try {
            assertThat(guest.run(hurt))
                    .contains("netem 8001: dev eth0 root")
                    .contains("ingress ffff: dev eth0")
                    .contains("dev ifb0 root");
        } finally {
            guest.run("tc qdisc del dev eth0 root; tc qdisc del dev eth0 ingress; tc qdisc del dev ifb0 root");
        }
    }
}
