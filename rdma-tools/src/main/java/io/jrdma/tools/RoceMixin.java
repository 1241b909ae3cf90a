package io.jrdma.tools;

import io.jrdma.netty.NettyDriverProvider;
import io.jrdma.netty.NettyOptions;
import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.Transport;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the UDP ports of RoCE; the defaults are the standard's. */
public final class RoceMixin {
    @OnlyOver(Transport.ROCE_V2)
    @Whole(min = 1, max = 65535)
    @Option(
            names = "--roce-port",
            paramLabel = "PORT",
            defaultValue = "4791",
            description = "RoCE: the own UDP port. Default: ${DEFAULT-VALUE}.")
    private int port;

    @OnlyOver(Transport.ROCE_V2)
    @Whole(min = 1, max = 65535)
    @Option(
            names = "--roce-peer-port",
            paramLabel = "PORT",
            description = "RoCE: the peers' UDP port, where it is not the own one.")
    private @Nullable Integer peerPort;

    /** The peers' UDP port. */
    public int peerPort() {
        return peerPort == null ? port : peerPort;
    }

    /** Options for devices, with the ports that were given and a limit for TCP connections to come up. */
    public DeviceOptions device(Duration limit) {
        return device(options(port, peerPort()).connectTimeout(limit));
    }

    /** Options for devices at that UDP port whose peers are at that one. */
    public static DeviceOptions device(int port, int peerPort) {
        return device(options(port, peerPort));
    }

    private static NettyOptions.Builder options(int port, int peerPort) {
        return NettyOptions.builder().rocePort(port).rocePeerPort(peerPort);
    }

    private static DeviceOptions device(NettyOptions.Builder options) {
        return DeviceOptions.DEFAULT.withDriver(new NettyDriverProvider(options.build()));
    }
}
