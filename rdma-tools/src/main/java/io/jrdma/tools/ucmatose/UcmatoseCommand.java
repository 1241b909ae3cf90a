package io.jrdma.tools.ucmatose;

import io.jrdma.cm.ConnectionParameters;
import io.jrdma.cm.RdmaCmId;
import io.jrdma.cm.RdmaEventChannel;
import io.jrdma.tools.Addresses;
import io.jrdma.tools.ExitCode;
import io.jrdma.tools.MpaMixin;
import io.jrdma.tools.Ranges;
import io.jrdma.tools.ToolCommand;
import io.jrdma.tools.TransportMixin;
import io.jrdma.verbs.MpaOptions;
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

    @Option(
            names = {"-c", "--connections"},
            paramLabel = "N",
            defaultValue = "1",
            description = "Connections at once. Default: ${DEFAULT-VALUE}.")
    private int connections;

    @Option(
            names = {"-C", "--count"},
            paramLabel = "N",
            defaultValue = "10",
            description = "Messages each way on a connection. Default: ${DEFAULT-VALUE}.")
    private int count;

    @Option(
            names = {"-S", "--size"},
            paramLabel = "BYTES",
            defaultValue = "100",
            description = "Bytes of a message. Default: ${DEFAULT-VALUE}.")
    private int size;

    @Option(
            names = {"-p", "--port"},
            paramLabel = "PORT",
            defaultValue = "7471",
            description = "The server's port; a server given 0 takes a free one. Default: ${DEFAULT-VALUE}.")
    private int port;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "30",
            description = "Give up when nothing has happened for so long. Default: ${DEFAULT-VALUE}.")
    private int timeout;

    @Option(
            names = "--first-message-grace",
            paramLabel = "MS",
            defaultValue = "50",
            description = {
                "Server: how long to wait for a message of the client's before sending the first one. Default:"
                        + " ${DEFAULT-VALUE}.",
                "RFC 5044 lets the connecting side alone send first, and ucmatose does not."
            })
    private int grace;

    @Mixin
    private TransportMixin transport = new TransportMixin();

    @Mixin
    private MpaMixin mpa = new MpaMixin();

    @Override
    public Integer call() throws InterruptedException {
        Ranges.check("-p", port, server == null ? 0 : 1, 65535);
        Ranges.check("-c", connections, 1, 10_000);
        Ranges.check("-C", count, 0, 10_000);
        Ranges.check("-S", size, 0, 1 << 24);
        Ranges.check("--timeout", timeout, 1, Integer.MAX_VALUE);
        Ranges.check("--first-message-grace", grace, 0, 10_000);
        MpaOptions options = mpa.options().toBuilder()
                .firstMessageGraceNs(Duration.ofMillis(grace).toNanos())
                .build();
        ConnectionParameters.Builder parameters = ConnectionParameters.builder().mpa(options);
        if (server != null) {
            parameters.responderResources(1).initiatorDepth(1);
        }
        try (RdmaEventChannel channel = RdmaEventChannel.create(transport.device())) {
            UcmatoseRun run = new UcmatoseRun(
                    this, channel, parameters.build(), connections, count, size, Duration.ofSeconds(timeout));
            if (server != null) {
                InetAddress source = bind == null ? null : Addresses.resolve("-b", bind);
                run.runClient(source, new InetSocketAddress(Addresses.resolve("-s", server), port), transport.get());
            } else {
                try (RdmaCmId listener = channel.createId(transport.get())) {
                    InetAddress address = Addresses.resolve("-b", bind == null ? "0.0.0.0" : bind);
                    run.runServer(listener, new InetSocketAddress(address, port));
                }
            }
        }
        print("test complete");
        print("return status 0");
        return ExitCode.DONE;
    }
}
