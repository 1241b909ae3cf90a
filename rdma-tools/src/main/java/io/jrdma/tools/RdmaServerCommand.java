package io.jrdma.tools;

import io.jrdma.cm.RdmaConnectException;
import io.jrdma.cm.RdmaConnection;
import io.jrdma.cm.RdmaServer;
import io.jrdma.cm.WorkCompletionException;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code jrdma rdma-server}: rdma-core's rdma_server: answers one message of one client. */
@Command(name = "rdma-server", description = "Answers one message of rdma_client of rdma-core or of rdma-client.")
final class RdmaServerCommand extends ToolCommand {
    @Option(
            names = {"-b", "--bind"},
            paramLabel = "ADDR",
            defaultValue = "0.0.0.0",
            description = "The address to listen at. Default: all IPv4 ones.")
    private String bind = "";

    @Mixin
    private PortMixin port = new PortMixin(7471);

    @Mixin
    private TransportMixin transport = new TransportMixin();

    @Mixin
    private TimeoutMixin timeout = new TimeoutMixin();

    @Override
    public Integer call() throws InterruptedException {
        String host = Addresses.resolve("-b", bind).getHostAddress();
        print("rdma_server: start");
        try (RdmaServer server = RdmaServer.listen(
                transport.get(), host, port.toListen(), RdmaClientCommand.options(transport, timeout))) {
            sayListening(server.localAddress(), transport.get());
            try (RdmaConnection client = server.accept()) {
                RdmaClientCommand.expect(client.receive(timeout.get()), timeout);
                client.send(new byte[RdmaClientCommand.MESSAGE]);
            }
        } catch (RdmaConnectException failure) {
            throw ToolException.noConnection(String.valueOf(failure.getMessage()), failure);
        } catch (IOException | WorkCompletionException failure) {
            throw ToolException.failed(String.valueOf(failure.getMessage()), failure);
        }
        print("rdma_server: end 0");
        return ExitCode.DONE;
    }
}
