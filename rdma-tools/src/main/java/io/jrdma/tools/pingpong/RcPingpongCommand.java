package io.jrdma.tools.pingpong;

import io.jrdma.cm.RdmaCmEvent;
import io.jrdma.cm.RdmaCmId;
import io.jrdma.cm.RdmaEventChannel;
import io.jrdma.tools.Addresses;
import io.jrdma.tools.Destination;
import io.jrdma.tools.ExitCode;
import io.jrdma.tools.Json;
import io.jrdma.tools.JsonMixin;
import io.jrdma.tools.PortMixin;
import io.jrdma.tools.RoceMixin;
import io.jrdma.tools.TimeoutMixin;
import io.jrdma.tools.ToolCommand;
import io.jrdma.tools.ToolException;
import io.jrdma.tools.Whole;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
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

    @Mixin
    private PortMixin port = new PortMixin(18515);

    @Option(
            names = "--bind",
            paramLabel = "ADDR",
            description = {
                "The local address of the queue pair. Default: the one that the exchange over TCP uses;",
                "for a client on the loopback network one that is free."
            })
    private @Nullable String bind;

    @Whole(min = 1)
    @Option(
            names = {"-s", "--size"},
            paramLabel = "SIZE",
            defaultValue = "4096",
            description = "Bytes of a message, the same on both sides. Default: ${DEFAULT-VALUE}.")
    private int size;

    @Whole(min = 256, max = 4096)
    @Option(
            names = {"-m", "--mtu"},
            paramLabel = "MTU",
            defaultValue = "1024",
            description = "Path MTU, the same on both sides: 256, 512, 1024, 2048 or 4096. Default: ${DEFAULT-VALUE}.")
    private int mtu;

    @Whole(min = 1, max = 32_767)
    @Option(
            names = {"-r", "--rx-depth"},
            paramLabel = "N",
            defaultValue = "500",
            description = "Receives posted at a time. Default: ${DEFAULT-VALUE}.")
    private int receiveDepth;

    @Whole(min = 1)
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

    @Mixin
    private TimeoutMixin timeout = new TimeoutMixin();

    @Whole(max = 600_000)
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

    @Mixin
    private JsonMixin json = new JsonMixin();

    @Override
    public Integer call() throws InterruptedException {
        card.check();
        if (Integer.bitCount(mtu) != 1) {
            throw ToolException.usage("-m " + mtu + ": allowed are 256, 512, 1024, 2048 and 4096");
        }
        PingpongSettings settings = new PingpongSettings(
                size, mtu, receiveDepth, iterations, events, validate, timeout.get(), Duration.ofMillis(linger));
        if (host == null) {
            serve(settings);
        } else {
            reach(host, settings);
        }
        return ExitCode.DONE;
    }

    private void reach(String server, PingpongSettings settings) throws InterruptedException {
        InetAddress peer = Addresses.resolve("HOST", server);
        Destination destination =
                new Destination(new InetSocketAddress(peer, port.toConnect()), "TCP", settings.patience());
        if (bind == null) {
            reachFromAnywhere(destination, settings);
            return;
        }
        // it may be of another family than the address for the exchange: the C tool exchanges over IPv4 alone
        try (RdmaDevice device = open(Addresses.resolve("--bind", bind), destination)) {
            reach(device, destination, settings);
        }
    }

    private RdmaDevice open(InetAddress own, Destination destination) {
        try {
            return open(own);
        } catch (VerbsException refused) {
            throw destination.refused(refused);
        }
    }

    /** The device is that with which the connection manager would connect: it knows which loopback address is free. */
    private void reachFromAnywhere(Destination destination, PingpongSettings settings) throws InterruptedException {
        try (RdmaEventChannel channel = RdmaEventChannel.create(roce.device(destination.limit()));
                RdmaCmId id = channel.createId(Transport.ROCE_V2)) {
            try {
                id.resolveAddress(null, destination.address(), destination.limit());
            } catch (VerbsException refused) {
                throw destination.refused(refused);
            }
            RdmaCmEvent event = channel.take();
            if (!(event instanceof RdmaCmEvent.AddressResolved)) {
                throw destination.refused(event);
            }
            RdmaDevice device = Objects.requireNonNull(id.device());
            checkMtu(device);
            reach(device, destination, settings);
        }
    }

    private void reach(RdmaDevice device, Destination destination, PingpongSettings settings)
            throws InterruptedException {
        try (PingpongExchange exchange = PingpongExchange.connect(destination)) {
            play(device, exchange, settings);
        }
    }

    private void serve(PingpongSettings settings) throws InterruptedException {
        // an address that was given is tried before any client comes
        try (RdmaDevice chosen = bind == null ? null : open(Addresses.resolve("--bind", bind));
                PingpongExchange exchange = accept(settings)) {
            if (chosen != null) {
                play(chosen, exchange, settings);
                return;
            }
            try (RdmaDevice device = open(exchange.localAddress())) {
                play(device, exchange, settings);
            }
        }
    }

    private RdmaDevice open(InetAddress own) {
        if (own.isAnyLocalAddress()) {
            throw ToolException.usage(
                    "--bind " + Addresses.plain(own) + ": a queue pair needs one address of this host");
        }
        RdmaDevice device = RdmaDevice.open(Transport.ROCE_V2, own, roce.device(timeout.get()));
        try {
            checkMtu(device);
            return device;
        } catch (ToolException small) {
            device.close();
            throw small;
        }
    }

    private void checkMtu(RdmaDevice device) {
        int fits = device.port().activeMtu();
        if (mtu > fits) {
            throw ToolException.usage("-m " + mtu + ": the interface with " + Addresses.plain(device.localAddress())
                    + " has an MTU of " + device.port().interfaceMtu() + ", which holds a path MTU of " + fits);
        }
    }

    private PingpongExchange accept(PingpongSettings settings) {
        try (ServerSocket listener = new ServerSocket(port.toListen(), 1)) {
            sayListening(new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort()), Transport.ROCE_V2);
            return PingpongExchange.accept(listener, settings.patience());
        } catch (IOException failure) {
            throw ToolException.failed(
                    "listening on TCP port " + port.toListen() + ": " + failure.getMessage(), failure);
        }
    }

    private void play(RdmaDevice device, PingpongExchange exchange, PingpongSettings settings)
            throws InterruptedException {
        try (RcPingpong side = new RcPingpong(device, settings, host != null)) {
            report(run(side, exchange));
            side.linger();
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
        if (json.get()) {
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
        if (json.get()) {
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
