package io.jrdma.tools.rping;

import io.jrdma.cm.ConnectionParameters;
import io.jrdma.cm.RdmaCmEvent;
import io.jrdma.cm.RdmaCmId;
import io.jrdma.cm.RdmaEventChannel;
import io.jrdma.tools.Completions;
import io.jrdma.tools.ToolException;
import io.jrdma.verbs.MemoryRegion;
import io.jrdma.verbs.VerbsException;
import java.net.InetSocketAddress;
import java.time.Duration;

/** {@code rping -c}: one connection, from resolving the address to the disconnect. */
final class RpingClient {
    private static final Duration RESOLVE_LIMIT = Duration.ofSeconds(2);

    private final RpingCommand tool;
    private final RpingSettings settings;
    private final RdmaEventChannel channel;
    private int pings;

    RpingClient(RpingCommand tool, RpingSettings settings, RdmaEventChannel channel) {
        this.tool = tool;
        this.settings = settings;
        this.channel = channel;
    }

    /** How many pings were made. */
    int pings() {
        return pings;
    }

    /** Connects, pings and disconnects. */
    void run() throws InterruptedException {
        try (RdmaCmId id = channel.createId(settings.transport())) {
            InetSocketAddress source = settings.source() == null ? null : new InetSocketAddress(settings.source(), 0);
            try {
                id.resolveAddress(source, settings.address(), RESOLVE_LIMIT);
            } catch (VerbsException refused) {
                throw settings.server().refused(refused);
            }
            await(RdmaCmEvent.AddressResolved.class);
            id.resolveRoute(RESOLVE_LIMIT);
            await(RdmaCmEvent.RouteResolved.class);
            try (PingEndpoint endpoint = new PingEndpoint(id, settings.size(), settings.patience())) {
                tool.follow(id);
                id.connect(ConnectionParameters.builder()
                        .responderResources(1)
                        .initiatorDepth(1)
                        .mpa(settings.mpa())
                        .build());
                await(RdmaCmEvent.Established.class);
                tool.debug("rdma_connect successful");
                ping(endpoint);
                id.disconnect();
                await(RdmaCmEvent.Disconnected.class);
                tool.say("client DISCONNECT EVENT...");
            }
        }
    }

    private void ping(PingEndpoint endpoint) throws InterruptedException {
        MemoryRegion source = endpoint.register(settings.size());
        try {
            while (settings.count() == 0 || pings < settings.count()) {
                ping(endpoint, source);
                pings++;
            }
        } catch (Completions.DisconnectedException early) {
            throw ToolException.failed("the server disconnected after " + pings
                    + (settings.count() == 0 ? " pings" : " of " + settings.count() + " pings"));
        }
    }

    private void ping(PingEndpoint endpoint, MemoryRegion source) throws InterruptedException {
        PingPattern.fill(source.segment(), pings);
        endpoint.send(source);
        endpoint.receive();
        endpoint.send(endpoint.dataRegion());
        endpoint.receive();
        if (settings.validate()) {
            long at = source.segment().mismatch(endpoint.data());
            if (at >= 0) {
                throw ToolException.failed("data mismatch in ping " + pings + " at byte " + at);
            }
        }
        if (settings.verbose()) {
            tool.printData("ping data: ", endpoint.data());
        }
    }

    private void await(Class<? extends RdmaCmEvent> wanted) throws InterruptedException {
        RdmaCmEvent event = channel.poll(settings.patience());
        boolean connected = wanted == RdmaCmEvent.Disconnected.class;
        if (event == null) {
            throw connected
                    ? ToolException.failed("the server has not disconnected for "
                            + settings.patience().toSeconds() + " s")
                    : settings.server().silent();
        }
        tool.debug("cma_event type " + event.type().cName());
        if (!wanted.isInstance(event)) {
            throw connected
                    ? ToolException.failed("event " + event.type().cName() + " instead of a disconnect")
                    : settings.server().refused(event);
        }
    }
}
