package io.jrdma.interop.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** A guest that breaks: the failure shows why, and the guest is not used again. Each test spoils a guest of its own. */
@KernelPeer(RdmaLink.SIW)
class GuestCrashTest {
    private static final int SPOILED = 9;
    private static final int PORT = 7475;
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /**
     * siw reads enhanced connection data from a Reply that announces it and carries none (siw_proc_mpareply): the one answer
     * that our side must never give. Here it comes from a program that is not ours.
     */
    @Test
    void anOopsOfTheKernelFailsTheTestAndShowsTheConsole(PeerNamespace namespace) {
        try (KernelGuest guest = KernelGuest.boot(namespace, SPOILED, GuestFiles.build());
                PeerProcess responder = namespace.startJava(DeadlyResponder.class, Integer.toString(PORT))) {
            guest.use(RdmaLink.SIW);
            responder.awaitListener(PORT, LIMIT);
            GuestFailure failure = catchThrowableOfType(
                    GuestFailure.class,
                    () -> guest.run("rping -c -C 1 -a 10.77.0.1 -p " + PORT, Duration.ofSeconds(15)));
            assertThat(failure)
                    .hasMessageContaining("the kernel of guest 9 broke")
                    .hasMessageContaining("NULL pointer dereference")
                    .hasMessageContaining("siw_cm_work_handler");
            assertThat(guest.isUsable()).isFalse();
        }
    }

    @Test
    void aPanicEndsTheGuestAndShowsTheConsole(PeerNamespace namespace) {
        try (KernelGuest guest = KernelGuest.boot(namespace, SPOILED, GuestFiles.build())) {
            GuestFailure failure = catchThrowableOfType(
                    GuestFailure.class, () -> guest.run("echo c >/proc/sysrq-trigger", Duration.ofSeconds(15)));
            assertThat(failure)
                    .hasMessageContaining("guest 9 does not answer: the guest ended")
                    .hasMessageContaining("Its kernel says: ")
                    .hasMessageContaining("Kernel panic - not syncing: sysrq triggered crash");
            assertThat(guest.isUsable()).isFalse();
        }
    }

    /** Answers one MPA Request with S set and no private data. */
    static final class DeadlyResponder {
        private DeadlyResponder() {}

        public static void main(String[] arguments) throws IOException {
            try (ServerSocket listener = new ServerSocket()) {
                listener.bind(new InetSocketAddress("10.77.0.1", Integer.parseInt(arguments[0])));
                try (Socket socket = listener.accept()) {
                    InputStream in = socket.getInputStream();
                    in.readNBytes(24);
                    socket.getOutputStream()
                            .write(HexFormat.of()
                                    .parseHex(HexFormat.of()
                                                    .formatHex("MPA ID Rep Frame".getBytes(StandardCharsets.US_ASCII))
                                            + "1002" + "0000"));
                    in.readAllBytes();
                }
            }
        }
    }
}
