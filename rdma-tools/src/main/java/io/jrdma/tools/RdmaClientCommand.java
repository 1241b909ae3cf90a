package io.jrdma.tools;

import io.jrdma.cm.ConnectionParameters;
import io.jrdma.cm.RdmaClient;
import io.jrdma.cm.RdmaConnectException;
import io.jrdma.cm.RdmaConnection;
import io.jrdma.cm.RdmaConnectionOptions;
import io.jrdma.cm.WorkCompletionException;
import io.jrdma.verbs.VerbsException;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code jrdma rdma-client}: rdma-core's rdma_client: one message there, one back. */
@Command(name = "rdma-client", description = "One message to rdma_server of rdma-core or to rdma-server, and one back.")
final class RdmaClientCommand extends ToolCommand {
    /** Bytes of a message. */
    static final int MESSAGE = 16;

    @Option(
            names = {"-s", "--server"},
            paramLabel = "ADDR",
            defaultValue = "127.0.0.1",
            description = "The server's address or name. Default: ${DEFAULT-VALUE}.")
    private String server = "";

    @Mixin
    private PortMixin port = new PortMixin(7471);

    @Option(
            names = "--bind",
            paramLabel = "ADDR",
            description = "The local address to connect from. Default: the one that the route says.")
    private @Nullable String bind;

    @Mixin
    private TransportMixin transport = new TransportMixin();

    @Mixin
    private TimeoutMixin timeout = new TimeoutMixin();

    @Override
    public Integer call() throws InterruptedException {
        InetSocketAddress peer = new InetSocketAddress(Addresses.resolve("-s", server), port.toConnect());
        Destination destination = transport.to(peer, timeout.get());
        print("rdma_client: start");
        try (RdmaClient client = RdmaClient.open(transport.get(), options());
                RdmaConnection connection = client.connectTo(peer)) {
            connection.send(new byte[MESSAGE]);
            expect(connection.receive(timeout.get()), timeout);
        } catch (RdmaConnectException failure) {
            throw destination.refused(failure);
        } catch (VerbsException failure) {
            throw destination.refused(failure);
        } catch (IOException | WorkCompletionException failure) {
            throw ToolException.failed(Addresses.text(peer) + ": " + failure.getMessage(), failure);
        }
        print("rdma_client: end 0");
        return ExitCode.DONE;
    }

    private RdmaConnectionOptions options() {
        RdmaConnectionOptions all = options(transport, timeout);
        return bind == null ? all : all.withSource(new InetSocketAddress(Addresses.resolve("--bind", bind), 0));
    }

    static RdmaConnectionOptions options(TransportMixin transport, TimeoutMixin timeout) {
        return RdmaConnectionOptions.RECOMMENDED
                .withDevice(transport.device(timeout.get()))
                .withTimeout(timeout.get())
                .withReceives(MESSAGE, 1)
                .withParameters(
                        ConnectionParameters.builder().mpa(transport.mpa()).build());
    }

    static void expect(byte @Nullable [] message, TimeoutMixin timeout) {
        if (message == null) {
            throw ToolException.failed("no message in " + timeout.get().toSeconds() + " s");
        }
        if (message.length != MESSAGE) {
            throw ToolException.failed("a message of " + message.length + " bytes came; " + MESSAGE + " were due");
        }
    }
}
