package io.jrdma.netty;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.spi.DatagramTransport;
import java.net.InetAddress;

/** Chooses the driver behind a {@link UdpPort}. */
final class UdpPorts {
    private UdpPorts() {}

    /**
     * A port with the driver that the options ask for, or the best one that works. On the loop.
     *
     * @throws VerbsException EOPNOTSUPP if the one asked for does not work here; else as {@link UdpPort}
     */
    static UdpPort bind(
            DriverLoop loop, NettyOptions options, DatagramTransport engine, InetAddress localAddress, long seed) {
        boolean batch = switch (options.udpIo()) {
            case AUTO -> options.backend() == IoBackend.EPOLL && BatchProbe.failure() == null;
            case BATCH -> {
                requireBatch(options.backend());
                yield true;
            }
            case PORTABLE -> false;
        };
        return batch
                ? new UdpPort(loop, options, engine, localAddress, seed, false, BatchSocket::new)
                : new UdpPort(loop, options, engine, localAddress, seed, true, PortableSocket::new);
    }

    private static void requireBatch(IoBackend backend) {
        String failure = backend == IoBackend.EPOLL ? BatchProbe.failure() : "it needs " + IoBackend.EPOLL;
        if (failure != null) {
            throw new VerbsException(Errno.EOPNOTSUPP, "the batch driver does not work here: " + failure);
        }
    }
}
