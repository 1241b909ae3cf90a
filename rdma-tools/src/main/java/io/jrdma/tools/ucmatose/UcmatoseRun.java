package io.jrdma.tools.ucmatose;

import io.jrdma.cm.ConnectionParameters;
import io.jrdma.cm.RdmaCmEvent;
import io.jrdma.cm.RdmaCmId;
import io.jrdma.cm.RdmaEventChannel;
import io.jrdma.tools.Completions;
import io.jrdma.tools.Destination;
import io.jrdma.tools.ToolException;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All connections of a run at once. The server sends first: all its messages, as soon as all connections are up. The client takes them and
 * answers with as many; then the server disconnects.
 */
final class UcmatoseRun {
    private static final Duration RESOLVE_LIMIT = Duration.ofSeconds(2);

    private final UcmatoseCommand tool;
    private final RdmaEventChannel channel;
    private final ConnectionParameters parameters;
    private final int connections;
    private final int count;
    private final int size;
    private final Duration patience;
    private final Map<RdmaCmId, UcmatoseNode> nodes = new LinkedHashMap<>();
    private @Nullable Destination destination;
    private int connected;
    private int disconnected;

    UcmatoseRun(
            UcmatoseCommand tool,
            RdmaEventChannel channel,
            ConnectionParameters parameters,
            int connections,
            int count,
            int size,
            Duration patience) {
        this.tool = tool;
        this.channel = channel;
        this.parameters = parameters;
        this.connections = connections;
        this.count = size == 0 ? 0 : count;
        this.size = size;
        this.patience = patience;
    }

    void runServer(RdmaCmId listener, InetSocketAddress address) throws InterruptedException {
        tool.print("cmatose: starting server");
        listener.bind(address);
        listener.listen(0, parameters.mpa());
        tool.sayListening(listener.localAddress(), listener.transport());
        try {
            awaitConnections(RdmaCmEvent.ConnectRequest.class);
            // whoever else comes is refused and need not wait
            listener.close();
            if (count > 0) {
                tool.print("initiating data transfers");
                nodes.values().forEach(UcmatoseNode::postSends);
                tool.print("completing sends");
                awaitSends();
                tool.print("receiving data transfers");
                awaitReceives();
                tool.print("data transfers complete");
            }
            tool.print("cmatose: disconnecting");
            nodes.keySet().forEach(RdmaCmId::disconnect);
            awaitDisconnects();
            tool.print("disconnected");
        } finally {
            close();
        }
    }

    void runClient(@Nullable InetAddress source, Destination to, Transport transport) throws InterruptedException {
        tool.print("cmatose: starting client");
        tool.print("cmatose: connecting");
        InetSocketAddress from = source == null ? null : new InetSocketAddress(source, 0);
        destination = to;
        try {
            for (int i = 0; i < connections; i++) {
                channel.createId(transport).resolveAddress(from, to.address(), RESOLVE_LIMIT);
            }
        } catch (VerbsException refused) {
            throw to.refused(refused);
        }
        try {
            awaitConnections(RdmaCmEvent.AddressResolved.class);
            if (count > 0) {
                tool.print("receiving data transfers");
                awaitReceives();
                tool.print("sending replies");
                nodes.values().forEach(UcmatoseNode::postSends);
                tool.print("data transfers complete");
            }
            awaitDisconnects();
        } finally {
            close();
        }
    }

    /** Drives every connection through its events, the first of which is of that kind, until all are up. */
    private void awaitConnections(Class<? extends RdmaCmEvent> first) throws InterruptedException {
        boolean patient = first == RdmaCmEvent.ConnectRequest.class;
        while (connected < connections) {
            // a server waits for its clients however long they take
            RdmaCmEvent event = patient ? channel.take() : poll();
            tool.debug("event " + event.type().cName());
            switch (event) {
                case RdmaCmEvent.AddressResolved resolved -> resolved.id().resolveRoute(RESOLVE_LIMIT);
                case RdmaCmEvent.RouteResolved resolved -> {
                    begin(resolved.id());
                    resolved.id().connect(parameters);
                }
                case RdmaCmEvent.ConnectRequest request -> answer(request.id());
                case RdmaCmEvent.Established up -> connected++;
                // the first connection may be over before the last one is up
                case RdmaCmEvent.Disconnected over -> disconnected++;
                default -> {
                    if (destination != null) {
                        throw destination.refused(event);
                    }
                    throw ToolException.noConnection("event: " + event.type().cName() + ", error: " + event.status()
                            + (event.text().isEmpty() ? "" : ": " + event.text()));
                }
            }
        }
    }

    private void answer(RdmaCmId id) {
        if (nodes.size() == connections) {
            tool.say("a connection more than the " + connections + " of this run was rejected");
            id.reject(new byte[0]);
            id.close();
        } else {
            begin(id);
            id.accept(parameters);
        }
    }

    private void begin(RdmaCmId id) {
        nodes.put(id, new UcmatoseNode(id, count, size, patience));
    }

    private void awaitSends() throws InterruptedException {
        try {
            for (UcmatoseNode node : nodes.values()) {
                node.awaitSends();
            }
        } catch (Completions.DisconnectedException early) {
            throw ToolException.failed("the peer disconnected before all " + count + " messages had gone");
        }
    }

    private void awaitReceives() throws InterruptedException {
        try {
            for (UcmatoseNode node : nodes.values()) {
                node.awaitReceives();
            }
        } catch (Completions.DisconnectedException early) {
            throw ToolException.failed("the peer disconnected before all " + count + " messages had come");
        }
    }

    private void awaitDisconnects() throws InterruptedException {
        while (disconnected < connections) {
            RdmaCmEvent event = poll();
            tool.debug("event " + event.type().cName());
            if (event instanceof RdmaCmEvent.Disconnected over) {
                over.id().disconnect();
                disconnected++;
            }
        }
    }

    private RdmaCmEvent poll() throws InterruptedException {
        RdmaCmEvent event = channel.poll(patience);
        if (event == null && connected == 0 && destination != null) {
            throw destination.silent();
        }
        if (event == null) {
            throw connected < connections
                    ? ToolException.noConnection(connected + " of " + connections
                            + " connections are up, and no event has come for " + patience.toSeconds() + " s")
                    : ToolException.failed("no event has come for " + patience.toSeconds() + " s");
        }
        return event;
    }

    private void close() {
        nodes.values().forEach(UcmatoseNode::close);
    }
}
