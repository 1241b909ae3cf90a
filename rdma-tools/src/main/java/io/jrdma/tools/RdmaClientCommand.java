package io.jrdma.tools;

import io.jrdma.cm.ConnectionParameters;
import io.jrdma.cm.RdmaClient;
import io.jrdma.cm.RdmaConnectException;
import io.jrdma.cm.RdmaConnection;
import io.jrdma.cm.RdmaConnectionOptions;
import io.jrdma.cm.WorkCompletionException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code jrdma rdma-client}: rdma-core's rdma_client: one message there, one back. */
@Command(name = "rdma-client", description = "One message to rdma_server of rdma-core or to rdma-server, and one back.")
final class RdmaClientCommand extends ToolCommand {
    /** Bytes of a message. */
    static final int MESSAGE = 16;

    static final Duration PATIENCE = Duration.ofSeconds(30);

    @Option(
            names = {"-s", "--server"},
            paramLabel = "ADDR",
            defaultValue = "127.0.0.1",
            description = "The server's address or name. Default: ${DEFAULT-VALUE}.")
    private String server = "";

    @Option(
            names = {"-p", "--port"},
            paramLabel = "PORT",
            defaultValue = "7471",
            description = "The server's port. Default: ${DEFAULT-VALUE}.")
    private int port;

    @Option(
            names = "--bind",
            paramLabel = "ADDR",
            description = "The local address to connect from. Default: the one that the route says.")
    private @Nullable String bind;

    @Mixin
    private TransportMixin transport = new TransportMixin();

    @Mixin
    private MpaMixin mpa = new MpaMixin();

    @Override
    public Integer call() throws InterruptedException {
        Ranges.check("-p", port, 1, 65535);
        InetSocketAddress peer = new InetSocketAddress(Addresses.resolve("-s", server), port);
        print("rdma_client: start");
        try (RdmaClient client = RdmaClient.open(transport.get(), options());
                RdmaConnection connection = client.connectTo(peer)) {
            connection.send(new byte[MESSAGE]);
            expect(connection.receive(PATIENCE));
        } catch (RdmaConnectException failure) {
            throw ToolException.noConnection(Addresses.text(peer) + ": " + failure.getMessage(), failure);
        } catch (IOException | WorkCompletionException failure) {
            throw ToolException.failed(Addresses.text(peer) + ": " + failure.getMessage(), failure);
        }
        print("rdma_client: end 0");
        return ExitCode.DONE;
    }

    private RdmaConnectionOptions options() {
        RdmaConnectionOptions all = options(transport, mpa);
        return bind == null ? all : all.withSource(new InetSocketAddress(Addresses.resolve("--bind", bind), 0));
    }

    static RdmaConnectionOptions options(TransportMixin transport, MpaMixin mpa) {
        return RdmaConnectionOptions.RECOMMENDED
                .withDevice(transport.device())
                .withReceives(MESSAGE, 1)
                .withParameters(
                        ConnectionParameters.builder().mpa(mpa.options()).build());
    }

    static void expect(byte @Nullable [] message) {
        if (message == null) {
            throw ToolException.failed("no message in " + PATIENCE.toSeconds() + " s");
        }
        if (message.length != MESSAGE) {
            throw ToolException.failed("a message of " + message.length + " bytes came; " + MESSAGE + " were due");
        }
    }
}
