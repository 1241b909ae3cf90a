package io.jrdma.netty;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the system makes of the buffer sizes that a socket asks for. */
final class SocketBuffers {
    private static final Logger LOG = LoggerFactory.getLogger(SocketBuffers.class);
    private static final AtomicBoolean WARNED = new AtomicBoolean();
    private static final boolean DOUBLED = isDoubled();
    private static final int TRIED_BYTES = 32 << 10;

    private SocketBuffers() {}

    private static boolean isDoubled() {
        try (DatagramChannel probe = DatagramChannel.open()) {
            probe.setOption(StandardSocketOptions.SO_RCVBUF, TRIED_BYTES);
            return probe.getOption(StandardSocketOptions.SO_RCVBUF) == 2 * TRIED_BYTES;
        } catch (IOException unknown) {
            return false;
        }
    }

    /** What the system reports when a socket has got that many bytes: Linux doubles the number, for its own needs. */
    static int reported(int bytes) {
        return DOUBLED ? 2 * bytes : bytes;
    }

    /** Bytes of packets that surely fit when the system reports that many. */
    static int usable(int reported) {
        return DOUBLED ? reported / 2 : reported;
    }

    /** Says once if the system gave less than was asked for, and what to do about it. */
    static void check(int receive, int reportedReceive, int send, int reportedSend) {
        boolean receiveCut = reportedReceive < reported(receive);
        boolean sendCut = reportedSend < reported(send);
        if ((receiveCut || sendCut) && WARNED.compareAndSet(false, true)) {
            LOG.warn(
                    "the system cut a UDP socket's buffers to {} of {} bytes for receiving and {} of {} for sending: packets may be lost"
                            + " in bursts; raise the limits with sysctl net.core.rmem_max and net.core.wmem_max",
                    usable(reportedReceive),
                    receive,
                    usable(reportedSend),
                    send);
        }
    }
}
