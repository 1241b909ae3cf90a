package io.jrdma.tools.rping;

import io.jrdma.cm.RdmaCmId;
import io.jrdma.cm.RdmaEventChannel;
import io.jrdma.tools.Addresses;
import io.jrdma.tools.ExitCode;
import io.jrdma.tools.Json;
import io.jrdma.tools.JsonMixin;
import io.jrdma.tools.PortMixin;
import io.jrdma.tools.TimeoutMixin;
import io.jrdma.tools.ToolCommand;
import io.jrdma.tools.ToolException;
import io.jrdma.tools.TransportMixin;
import io.jrdma.tools.Whole;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code jrdma rping}: rdma-core's rping, in both roles, with its options and on its wire. */
@Command(
        name = "rping",
        description = {
            "RDMA ping-pong with rping of rdma-core or with itself, in either role.",
            "The server reads the client's data by RDMA Read and gives it back by RDMA Write."
        })
public final class RpingCommand extends ToolCommand {
    /** The shortest data that holds the number of a ping; the C tool begins at 23. */
    private static final int MIN_SIZE = 16;

    private static final int MAX_SIZE = 65535;
    private static final int CLIENT_SIZE = 64;
    private static final Duration CLIENT_PATIENCE = Duration.ofSeconds(TimeoutMixin.SECONDS);

    @ArgGroup(multiplicity = "1")
    private Role role = new Role();

    private static final class Role {
        @Option(
                names = {"-s", "--server"},
                required = true,
                description = "Be the server.")
        private boolean server;

        @Option(
                names = {"-c", "--client"},
                required = true,
                description = "Be the client.")
        private boolean client;
    }

    @Option(
            names = {"-a", "--address"},
            paramLabel = "ADDR",
            description =
                    "Client: the server's address or name. Server: the address to listen at; default: all IPv4 ones.")
    private @Nullable String address;

    @Mixin
    private PortMixin port = new PortMixin(7174);

    @Option(
            names = {"-I", "--bind"},
            paramLabel = "ADDR",
            description = {
                "Client: the local address to connect from. Default: what the route gives.",
                "Server: the same as -a."
            })
    private @Nullable String bind;

    @Whole
    @Option(
            names = {"-C", "--count"},
            paramLabel = "COUNT",
            defaultValue = "0",
            description = "Client: pings of each connection; 0, the default, goes on for ever. Ignored by the server.")
    private int count;

    @Whole(min = MIN_SIZE, max = MAX_SIZE)
    @Option(
            names = {"-S", "--size"},
            paramLabel = "SIZE",
            description = "Client: bytes of ping data, " + MIN_SIZE + ".." + MAX_SIZE + ", default " + CLIENT_SIZE
                    + "; the C tool begins at 23. Server: bytes of its buffer, default " + MAX_SIZE + ".")
    private @Nullable Integer size;

    @Option(
            names = {"-v", "--verbose"},
            description = "Print the ping data.")
    private boolean verbose;

    @Option(
            names = {"-V", "--validate"},
            description = "Check the ping data: the client what it gets back, the server what it reads.")
    private boolean validate;

    @Option(names = "-d", description = "The same as --debug.")
    private boolean d;

    @Option(
            names = {"-P", "--persistent"},
            description = "Server: serve any number of clients at once, until stopped.")
    private boolean persistent;

    @Option(
            names = {"-q", "--self-created-qp"},
            description = "Server: answer with read depths of 1, as rping does with this option.")
    private boolean selfCreated;

    @Whole(min = 1)
    @Option(
            names = "--connections",
            paramLabel = "N",
            defaultValue = "1",
            description = "Client: N connections one after another; the first that fails ends it. Default: 1.")
    private int connections;

    @Whole(min = 1, max = TimeoutMixin.MAX_SECONDS)
    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description =
                    "Give a connection up when nothing has happened on it for so long. Default: 30; server: never.")
    private @Nullable Integer timeout;

    @Mixin
    private TransportMixin transport = new TransportMixin();

    @Mixin
    private JsonMixin json = new JsonMixin();

    @Override
    public boolean debug() {
        return d || super.debug();
    }

    @Override
    public Integer call() throws InterruptedException {
        RpingSettings settings = settings();
        long begin = System.nanoTime();
        long pings = role.server ? new RpingServer(this, settings).run() : runClient(settings);
        summarize(settings, pings, System.nanoTime() - begin);
        return ExitCode.DONE;
    }

    private long runClient(RpingSettings settings) throws InterruptedException {
        long pings = 0;
        try (RdmaEventChannel channel = RdmaEventChannel.create(settings.device())) {
            for (int i = 1; i <= settings.connections(); i++) {
                RpingClient client = new RpingClient(this, settings, channel);
                try {
                    client.run();
                } catch (ToolException failure) {
                    if (settings.connections() > 1) {
                        say("connection " + i + " of " + settings.connections() + " failed in ping " + client.pings());
                    }
                    throw failure;
                }
                pings += client.pings();
            }
        }
        return pings;
    }

    private RpingSettings settings() {
        int bytes = size != null ? size : role.server ? MAX_SIZE : CLIENT_SIZE;
        if (role.client && address == null) {
            throw ToolException.usage("a client needs -a ADDR, the server's address");
        }
        if (role.client && persistent) {
            throw ToolException.usage("-P is for the server");
        }
        if (role.server && connections != 1) {
            throw ToolException.usage("--connections is for the client");
        }
        if (role.server && bind != null && address != null) {
            throw ToolException.usage("-a and --bind are the same for a server: give one of them");
        }
        InetAddress peer = role.server && bind != null
                ? Addresses.resolve("--bind", bind)
                : Addresses.resolve("-a", address == null ? "0.0.0.0" : address);
        Duration patience =
                timeout != null ? Duration.ofSeconds(timeout) : role.server ? RpingSettings.FOREVER : CLIENT_PATIENCE;
        Duration limit = timeout == null ? CLIENT_PATIENCE : patience;
        InetSocketAddress server = new InetSocketAddress(peer, role.server ? port.toListen() : port.toConnect());
        return new RpingSettings(
                transport.get(),
                transport.device(limit),
                transport.to(server, limit),
                role.server || bind == null ? null : Addresses.resolve("--bind", bind),
                bytes,
                count,
                connections,
                verbose,
                validate,
                persistent,
                selfCreated,
                patience,
                transport.mpa());
    }

    /** From now on tells what goes wrong at the id's device outside any work request: why a connection was ended, most of all. */
    void follow(RdmaCmId id) {
        Objects.requireNonNull(id.device())
                .onAsyncEvent(event -> say("async event " + event.type() + ": " + event.text()));
    }

    /** A line of ping data, as rping prints it. */
    void printData(String label, MemorySegment data) {
        String line = label + PingPattern.text(data);
        if (json.get()) {
            say(line);
        } else {
            print(line);
        }
    }

    /** Says what went wrong on one of several connections. */
    void complain(RuntimeException failure) {
        say("rping: " + failure.getMessage());
        if (debug()) {
            StringWriter trace = new StringWriter();
            failure.printStackTrace(new PrintWriter(trace, true));
            say(trace.toString());
        }
    }

    private void summarize(RpingSettings settings, long pings, long nanos) {
        double seconds = nanos / 1e9;
        if (json.get()) {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("role", role.server ? "server" : "client");
            fields.put("transport", settings.transport().id());
            fields.put("address", Addresses.text(settings.address()));
            fields.put("connections", settings.connections());
            fields.put("pings", pings);
            if (role.client) {
                fields.put("size", settings.size());
            }
            fields.put("validated", settings.validate());
            fields.put("seconds", seconds);
            print(Json.text(fields));
        } else if (debug() || settings.connections() > 1) {
            say(String.format(Locale.ROOT, "%d connections, %d pings, %.3f s", settings.connections(), pings, seconds));
        }
    }
}
