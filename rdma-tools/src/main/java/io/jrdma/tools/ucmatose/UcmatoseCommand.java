package io.jrdma.tools.ucmatose;

import io.jrdma.cm.ConnectionParameters;
import io.jrdma.cm.RdmaCmId;
import io.jrdma.cm.RdmaEventChannel;
import io.jrdma.tools.Addresses;
import io.jrdma.tools.ExitCode;
import io.jrdma.tools.OnlyOver;
import io.jrdma.tools.PortMixin;
import io.jrdma.tools.TimeoutMixin;
import io.jrdma.tools.ToolCommand;
import io.jrdma.tools.TransportMixin;
import io.jrdma.tools.Whole;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.Transport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code jrdma ucmatose}: rdma-core's ucmatose, in both roles, with its options and on its wire. */
@Command(
        name = "ucmatose",
        description = {
            "Connections and messages with ucmatose of rdma-core or with itself, in either role.",
            "With -s it is the client, without it the server."
        })
public final class UcmatoseCommand extends ToolCommand {
    @Option(
            names = {"-s", "--server-address"},
            paramLabel = "ADDR",
            description = "Be the client of this server.")
    private @Nullable String server;

    @Option(
            names = {"-b", "--bind"},
            paramLabel = "ADDR",
            description = "The local address. Default: all IPv4 ones; client: what the route gives.")
    private @Nullable String bind;

    @Whole(min = 1, max = 10_000)
    @Option(
            names = {"-c", "--connections"},
            paramLabel = "N",
            defaultValue = "1",
            description = "Connections at once. Default: ${DEFAULT-VALUE}.")
    private int connections;

    @Whole(max = 10_000)
    @Option(
            names = {"-C", "--count"},
            paramLabel = "N",
            defaultValue = "10",
            description = "Messages each way on a connection. Default: ${DEFAULT-VALUE}.")
    private int count;

    @Whole(max = 1 << 24)
    @Option(
            names = {"-S", "--size"},
            paramLabel = "BYTES",
            defaultValue = "100",
            description = "Bytes of a message. Default: ${DEFAULT-VALUE}.")
    private int size;

    @Mixin
    private PortMixin port = new PortMixin(7471);

    @Mixin
    private TimeoutMixin timeout = new TimeoutMixin();

    @OnlyOver(Transport.IWARP)
    @Whole(max = 10_000)
    @Option(
            names = "--first-message-grace",
            paramLabel = "MS",
            defaultValue = "50",
            description = {
                "iWARP server: how long to wait for a message of the client's before sending the first one. Default:"
                        + " ${DEFAULT-VALUE}.",
                "RFC 5044 lets the connecting side alone send first, and ucmatose does not."
            })
    private int grace;

    @Mixin
    private TransportMixin transport = new TransportMixin();

    @Override
    public Integer call() throws InterruptedException {
        MpaOptions options = transport.mpa().toBuilder()
                .firstMessageGraceNs(Duration.ofMillis(grace).toNanos())
                .build();
        ConnectionParameters.Builder parameters = ConnectionParameters.builder().mpa(options);
        if (server != null) {
            parameters.responderResources(1).initiatorDepth(1);
        }
        try (RdmaEventChannel channel = RdmaEventChannel.create(transport.device(timeout.get()))) {
            UcmatoseRun run =
                    new UcmatoseRun(this, channel, parameters.build(), connections, count, size, timeout.get());
            if (server != null) {
                InetAddress source = bind == null ? null : Addresses.resolve("-b", bind);
                InetSocketAddress peer = new InetSocketAddress(Addresses.resolve("-s", server), port.toConnect());
                run.runClient(source, transport.to(peer, timeout.get()), transport.get());
            } else {
                try (RdmaCmId listener = channel.createId(transport.get())) {
                    InetAddress address = Addresses.resolve("-b", bind == null ? "0.0.0.0" : bind);
                    run.runServer(listener, new InetSocketAddress(address, port.toListen()));
                }
            }
        }
        print("test complete");
        print("return status 0");
        return ExitCode.DONE;
    }
}
