package io.jrdma.tools;

import io.jrdma.netty.NettyDriverProvider;
import io.jrdma.netty.NettyOptions;
import io.jrdma.verbs.DeviceOptions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the UDP ports of RoCE; the defaults are the standard's. */
public final class RoceMixin {
    @Option(
            names = "--roce-port",
            paramLabel = "PORT",
            defaultValue = "4791",
            description = "RoCE: the own UDP port. Default: ${DEFAULT-VALUE}.")
    private int port;

    @Option(
            names = "--roce-peer-port",
            paramLabel = "PORT",
            description = "RoCE: the peers' UDP port, where it is not the own one.")
    private @Nullable Integer peerPort;

    /** Options for devices, with the ports that were given. */
    public DeviceOptions device() {
        Ranges.check("--roce-port", port, 1, 65535);
        int to = peerPort == null ? port : peerPort;
        Ranges.check("--roce-peer-port", to, 1, 65535);
        return device(port, to);
    }

    /** Options for devices at that UDP port whose peers are at that one. */
    public static DeviceOptions device(int port, int peerPort) {
        NettyOptions options =
                NettyOptions.builder().rocePort(port).rocePeerPort(peerPort).build();
        return DeviceOptions.DEFAULT.withDriver(new NettyDriverProvider(options));
    }
}
