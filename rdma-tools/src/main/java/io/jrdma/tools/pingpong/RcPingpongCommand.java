package io.jrdma.tools.pingpong;

import io.jrdma.tools.Addresses;
import io.jrdma.tools.ExitCode;
import io.jrdma.tools.Json;
import io.jrdma.tools.Ranges;
import io.jrdma.tools.RoceMixin;
import io.jrdma.tools.ToolCommand;
import io.jrdma.tools.ToolException;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code jrdma rc-pingpong}: rdma-core's ibv_rc_pingpong, in both roles, with its options and on its wire. */
@Command(
        name = "rc-pingpong",
        description = {
            "Messages there and back with ibv_rc_pingpong of rdma-core or with itself, in either role, over RoCE.",
            "With HOST it is the client, without it the server."
        },
        footer = {
            "",
            "Not available of ibv_rc_pingpong: -d (--bind chooses the device), -o, -O and -P (paging on demand),",
            "-t (time stamps), -j (device memory), -N (another way to post)."
        })
public final class RcPingpongCommand extends ToolCommand {
    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "HOST",
            description = "The server's address or name, for the exchange of addresses over TCP.")
    private @Nullable String host;

    @Option(
            names = {"-p", "--port"},
            paramLabel = "PORT",
            defaultValue = "18515",
            description = "The server's TCP port; a server given 0 takes a free one. Default: ${DEFAULT-VALUE}.")
    private int port;

    @Option(
            names = "--bind",
            paramLabel = "ADDR",
            description = "The local address of the queue pair. Default: the one that the exchange over TCP uses.")
    private @Nullable String bind;

    @Option(
            names = {"-s", "--size"},
            paramLabel = "SIZE",
            defaultValue = "4096",
            description = "Bytes of a message, the same on both sides. Default: ${DEFAULT-VALUE}.")
    private int size;

    @Option(
            names = {"-m", "--mtu"},
            paramLabel = "MTU",
            defaultValue = "1024",
            description = "Path MTU, the same on both sides: 256, 512, 1024, 2048 or 4096. Default: ${DEFAULT-VALUE}.")
    private int mtu;

    @Option(
            names = {"-r", "--rx-depth"},
            paramLabel = "N",
            defaultValue = "500",
            description = "Receives posted at a time. Default: ${DEFAULT-VALUE}.")
    private int receiveDepth;

    @Option(
            names = {"-n", "--iters"},
            paramLabel = "N",
            defaultValue = "1000",
            description = "Messages each way, the same on both sides. Default: ${DEFAULT-VALUE}.")
    private int iterations;

    @Mixin
    private CardMixin card = new CardMixin();

    @Option(
            names = {"-e", "--events"},
            description = "Sleep until something completes, instead of polling.")
    private boolean events;

    @Option(
            names = {"-c", "--chk"},
            description = "Client: check that every message comes back as it was sent.")
    private boolean validate;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "30",
            description = "Give up when nothing has happened for so long. Default: ${DEFAULT-VALUE}.")
    private int timeout;

    @Option(
            names = "--linger",
            paramLabel = "MS",
            defaultValue = "300",
            description = {
                "Client: how long to go on acknowledging at the end. Default: ${DEFAULT-VALUE}.",
                "A server whose last acknowledgement was lost would fail otherwise."
            })
    private int linger;

    @Mixin
    private RoceMixin roce = new RoceMixin();

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
        card.check();
        Ranges.check("-p", port, host == null ? 0 : 1, 65535);
        Ranges.check("-s", size, 1, Integer.MAX_VALUE);
        Ranges.check("-r", receiveDepth, 1, 32_767);
        Ranges.check("-n", iterations, 1, Integer.MAX_VALUE);
        Ranges.check("--timeout", timeout, 1, Integer.MAX_VALUE / 1000);
        Ranges.check("--linger", linger, 0, 600_000);
        if (mtu < 256 || mtu > 4096 || Integer.bitCount(mtu) != 1) {
            throw ToolException.usage("-m " + mtu + ": allowed are 256, 512, 1024, 2048 and 4096");
        }
        PingpongSettings settings = new PingpongSettings(
                size,
                mtu,
                receiveDepth,
                iterations,
                events,
                validate,
                Duration.ofSeconds(timeout),
                Duration.ofMillis(linger));
        try (PingpongExchange exchange = host == null ? serve(settings) : reach(host, settings)) {
            InetAddress own = bind == null ? exchange.localAddress() : Addresses.resolve("--bind", bind);
            try (RdmaDevice device = RdmaDevice.open(Transport.ROCE_V2, own, roce.device());
                    RcPingpong side = new RcPingpong(device, settings, host != null)) {
                long nanos = run(side, exchange);
                report(nanos);
                side.linger();
            }
        }
        return ExitCode.DONE;
    }

    private PingpongExchange reach(String server, PingpongSettings settings) {
        return PingpongExchange.connect(
                new InetSocketAddress(Addresses.resolve("HOST", server), port), settings.patience());
    }

    private PingpongExchange serve(PingpongSettings settings) {
        try (ServerSocket listener = new ServerSocket(port, 1)) {
            sayListening(new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort()), Transport.ROCE_V2);
            return PingpongExchange.accept(listener, settings.patience());
        } catch (IOException failure) {
            throw ToolException.noConnection("listening on TCP port " + port + ": " + failure.getMessage(), failure);
        }
    }

    private long run(RcPingpong side, PingpongExchange exchange) throws InterruptedException {
        PingpongAddress own = side.address();
        tell("  local address:  " + own);
        PingpongAddress peer;
        if (host != null) {
            exchange.send(own);
            peer = exchange.receive();
            exchange.sendDone();
            tell("  remote address: " + peer);
            side.connect(peer);
        } else {
            peer = exchange.receive();
            // ready before the client learns where to send
            side.connect(peer);
            exchange.send(own);
            exchange.awaitDone();
            tell("  remote address: " + peer);
        }
        return side.run();
    }

    private void tell(String line) {
        if (json) {
            say(line);
        } else {
            print(line);
        }
    }

    private void report(long nanos) {
        double seconds = nanos / 1e9;
        long bytes = 2L * size * iterations;
        double megabits = bytes * 8 / (nanos / 1e3);
        double microseconds = nanos / 1e3 / iterations;
        if (json) {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("role", host == null ? "server" : "client");
            fields.put("size", size);
            fields.put("mtu", mtu);
            fields.put("iterations", iterations);
            fields.put("seconds", seconds);
            fields.put("mbit_per_second", megabits);
            fields.put("microseconds_per_iteration", microseconds);
            print(Json.text(fields));
        } else {
            print(String.format(Locale.ROOT, "%d bytes in %.2f seconds = %.2f Mbit/sec", bytes, seconds, megabits));
            print(String.format(
                    Locale.ROOT, "%d iters in %.2f seconds = %.2f usec/iter", iterations, seconds, microseconds));
        }
    }
}
