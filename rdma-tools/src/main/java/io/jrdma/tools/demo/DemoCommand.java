package io.jrdma.tools.demo;

import io.jrdma.tools.ExitCode;
import io.jrdma.tools.Json;
import io.jrdma.tools.ToolCommand;
import io.jrdma.tools.UdpPorts;
import io.jrdma.verbs.DeviceInfo;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code jrdma demo}: two processes on the loopback interface do every operation once, over every transport and both kinds of addresses. */
@Command(
        name = "demo",
        description = "Do every operation once between two processes on the loopback interface, and check the bytes.")
public final class DemoCommand extends ToolCommand {
    private static final List<String> ADDRESSES = List.of("127.0.0.1", "::1");
    private static final List<Transport> TRANSPORTS = List.of(Transport.IWARP, Transport.ROCE_V2);

    @Option(names = "--json", description = "Print the results as JSON.")
    private boolean json;

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<DemoResult> results = new ArrayList<>();
        UdpPorts ports = UdpPorts.choose();
        try (DemoPeer peer = DemoPeer.start(ports)) {
            debug("the second process is " + peer.pid());
            for (Transport transport : TRANSPORTS) {
                for (String text : ADDRESSES) {
                    InetAddress address = InetAddress.getByName(text);
                    if (isHere(transport, address)) {
                        say(transport.id() + " at " + text + " ...");
                        results.addAll(new DemoRun(peer, transport, address, ports, this::follow).run());
                    } else {
                        say(transport.id() + " at " + text + ": skipped, this host does not have the address");
                    }
                }
            }
        }
        long failed = results.stream().filter(result -> !result.isGood()).count();
        if (json) {
            print(Json.text(results.stream().map(DemoResult::fields).toList()));
        } else {
            DemoTable.lines(results).forEach(this::print);
            print(failed == 0 ? "all " + results.size() + " operations ok" : failed + " FAILED");
        }
        return failed == 0 && !results.isEmpty() ? ExitCode.DONE : ExitCode.FAILED;
    }

    private static boolean isHere(Transport transport, InetAddress address) {
        for (DeviceInfo device : RdmaDevice.list()) {
            if (device.transport() == transport && device.address().equals(address)) {
                return true;
            }
        }
        return false;
    }

    private void follow(DemoResult result) {
        if (!result.isGood()) {
            say(result.run() + ", " + result.operation() + ": " + result.failure());
        } else {
            debug(result.run() + ", " + result.operation() + ": ok");
        }
    }
}
