package io.jrdma.perf;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The one other RDMA stack over plain UDP sockets: libfabric's {@code udp;ofi_rxd}, measured by its own {@code fi_pingpong}. */
final class Libfabric {
    private static final String TOOL = "fi_pingpong";
    private static final long LIMIT_SECONDS = 60;

    private Libfabric() {}

    /** What the tool prints for 64 KiB messages there and back, or why it printed nothing. */
    static String pingpong() throws InterruptedException {
        String port = Integer.toString(freePort());
        List<String> server = List.of(TOOL, "-B", port, "-p", "udp;ofi_rxd", "-e", "rdm", "-I", "500", "-S", "65536");
        List<String> client = new ArrayList<>(server);
        client.set(1, "-P");
        client.add("127.0.0.1");
        Process serving = null;
        try {
            serving = new ProcessBuilder(server)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            TimeUnit.SECONDS.sleep(1); // it says nothing when it is ready
            return "libfabric udp;ofi_rxd, " + TOOL + ":\n" + run(client);
        } catch (IOException missing) {
            return "libfabric udp;ofi_rxd: " + TOOL + " is not there (package libfabric-bin)";
        } finally {
            if (serving != null) {
                serving.destroyForcibly();
            }
        }
    }

    /** One that is free in this moment, for the tool's own connection over TCP. */
    private static int freePort() {
        try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return any.getLocalPort();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static String run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (BufferedReader output = process.inputReader()) {
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                return "has not ended after " + LIMIT_SECONDS + " s";
            }
            return String.join("\n", output.lines().toList());
        } finally {
            process.destroyForcibly();
        }
    }
}
