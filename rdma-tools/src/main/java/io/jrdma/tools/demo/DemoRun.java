package io.jrdma.tools.demo;

import io.jrdma.cm.ConnectionParameters;
import io.jrdma.cm.RdmaCmEvent;
import io.jrdma.cm.RdmaCmId;
import io.jrdma.cm.RdmaEventChannel;
import io.jrdma.tools.Addresses;
import io.jrdma.tools.RoceMixin;
import io.jrdma.tools.ToolException;
import io.jrdma.tools.UdpPorts;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;

/** Every operation once over one transport at one address: the active side. What fails ends the run, because its connection is gone. */
final class DemoRun {
    private static final byte[] HELLO = "hello, passive side".getBytes(StandardCharsets.UTF_8);
    private static final byte[] WELCOME = "welcome, active side".getBytes(StandardCharsets.UTF_8);
    private static final byte[] NO = "no, thank you".getBytes(StandardCharsets.UTF_8);

    private final DemoPeer peer;
    private final Transport transport;
    private final InetAddress address;
    private final UdpPorts ports;
    private final Consumer<DemoResult> report;
    private final List<DemoResult> results = new ArrayList<>();
    private int port;

    /** What is measured: it returns how long it took, in nanoseconds. */
    private interface Body {
        long run() throws InterruptedException;
    }

    /**
     * A run.
     *
     * @param report is told each result as it comes
     */
    DemoRun(DemoPeer peer, Transport transport, InetAddress address, UdpPorts ports, Consumer<DemoResult> report) {
        this.peer = peer;
        this.transport = transport;
        this.address = address;
        this.ports = ports;
        this.report = report;
    }

    List<DemoResult> run() throws InterruptedException {
        try (RdmaEventChannel channel = RdmaEventChannel.create(RoceMixin.device(ports.active(), ports.passive()))) {
            port = Integer.parseInt(peer.ask("listen " + transport + " " + address.getHostAddress()));
            if (transfers(channel)
                    && refused(channel, "Read, invalidated key", DemoOperations::readByInvalidatedKey)
                    && refused(channel, "Read, wrong key", DemoOperations::readByWrongKey)
                    && refused(channel, "Send, invalidated key", DemoOperations::sendByInvalidatedKey)) {
                result("reject with private data", NO.length, () -> reject(channel));
            }
        }
        return results;
    }

    private boolean transfers(RdmaEventChannel channel) throws InterruptedException {
        DemoLink[] link = new DemoLink[1];
        boolean good = result("connect with private data", HELLO.length, () -> {
            DemoLink made = begin(channel);
            link[0] = made;
            return connect(made);
        });
        try (DemoLink connected = link[0]) {
            if (!good) {
                return false;
            }
            DemoOperations operations = new DemoOperations(peer, connected);
            for (DemoOperations.Operation operation : operations.all()) {
                if (!result(operation.name(), operation.bytes(), operation::run)) {
                    return false;
                }
            }
            return result("disconnect", 0, operations::disconnect);
        }
    }

    /** An operation that has to fail, on a connection of its own that it ends. */
    private boolean refused(RdmaEventChannel channel, String name, Refusal refusal) throws InterruptedException {
        return result(name, DemoOperations.SMALL, () -> {
            try (DemoLink link = begin(channel)) {
                connect(link);
                return refusal.run(new DemoOperations(peer, link));
            }
        });
    }

    private interface Refusal {
        long run(DemoOperations operations) throws InterruptedException;
    }

    private boolean result(String operation, long bytes, Body body) throws InterruptedException {
        long nanos = 0;
        String failure = null;
        try {
            nanos = body.run();
        } catch (ToolException | VerbsException wrong) {
            failure = wrong.getMessage();
        }
        DemoResult result =
                new DemoResult(transport.id() + " " + Addresses.plain(address), operation, bytes, nanos, failure);
        results.add(result);
        report.accept(result);
        return result.isGood();
    }

    /** Connects, and returns how long that took. */
    private long connect(DemoLink link) throws InterruptedException {
        peer.ask("accept " + HexFormat.of().formatHex(WELCOME));
        long begin = System.nanoTime();
        connect(link.id());
        byte[] reply = link.await(RdmaCmEvent.Established.class).privateData();
        long nanos = System.nanoTime() - begin;
        compare("the reply's private data", reply, WELCOME);
        compare("the request's private data", HexFormat.of().parseHex(peer.answer()), HELLO);
        return nanos;
    }

    private long reject(RdmaEventChannel channel) throws InterruptedException {
        peer.ask("reject " + HexFormat.of().formatHex(NO));
        try (DemoLink link = begin(channel)) {
            long begin = System.nanoTime();
            connect(link.id());
            byte[] reply = link.await(RdmaCmEvent.Rejected.class).privateData();
            long nanos = System.nanoTime() - begin;
            compare("the rejection's private data", reply, NO);
            compare("the request's private data", HexFormat.of().parseHex(peer.answer()), HELLO);
            return nanos;
        }
    }

    /** A link that knows its way and is not connected. */
    private DemoLink begin(RdmaEventChannel channel) throws InterruptedException {
        Duration limit = DemoLink.PATIENCE;
        RdmaCmId id = channel.createId(transport);
        id.resolveAddress(null, new InetSocketAddress(address, port), limit);
        DemoLink.await(channel, RdmaCmEvent.AddressResolved.class);
        id.resolveRoute(limit);
        DemoLink.await(channel, RdmaCmEvent.RouteResolved.class);
        return new DemoLink(channel, id);
    }

    private static void connect(RdmaCmId id) {
        id.connect(ConnectionParameters.builder().privateData(HELLO).build());
    }

    /** On RoCE private data has a fixed length: what was not given arrives as zeros. */
    private static void compare(String what, byte[] came, byte[] expected) {
        byte[] padded = Arrays.copyOf(expected, Math.max(expected.length, came.length));
        if (!Arrays.equals(came, padded)) {
            throw ToolException.failed(what + " is " + HexFormat.of().formatHex(came) + ", expected "
                    + HexFormat.of().formatHex(expected));
        }
    }
}
