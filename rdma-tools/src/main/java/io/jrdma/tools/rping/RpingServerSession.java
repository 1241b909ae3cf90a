package io.jrdma.tools.rping;

import io.jrdma.cm.ConnectionParameters;
import io.jrdma.cm.RdmaCmEvent;
import io.jrdma.cm.RdmaCmId;
import io.jrdma.tools.Completions;
import io.jrdma.tools.ToolException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The server's side of one connection: reads the client's buffer, lets it go on, writes the same bytes into its other buffer, lets it go on,
 * until the client disconnects. A client that disconnects between two pings has done what it wanted; anywhere else it has failed.
 */
final class RpingServerSession {
    /** The stream has ended already when this begins. */
    private static final int DISCONNECT_SECONDS = 5;

    private final RpingCommand tool;
    private final RpingSettings settings;
    private final RdmaCmId id;
    private final BlockingQueue<RdmaCmEvent> events = new LinkedBlockingQueue<>();
    private int pings;

    RpingServerSession(RpingCommand tool, RpingSettings settings, RdmaCmId id) {
        this.tool = tool;
        this.settings = settings;
        this.id = id;
    }

    /** Hands over an event of the connection's; any thread. */
    void onEvent(RdmaCmEvent event) {
        events.add(event);
    }

    /**
     * Answers the request and serves the connection to its end.
     *
     * @param onEstablished to be done when the connection is up
     * @return how many pings there were
     */
    int serve(Runnable onEstablished) throws InterruptedException {
        try (PingEndpoint endpoint = new PingEndpoint(id, settings.size(), settings.patience())) {
            tool.follow(id);
            tool.debug("accepting client connection request");
            id.accept(parameters());
            awaitEstablished();
            onEstablished.run();
            pingPong(endpoint);
            id.disconnect();
            awaitDisconnected();
        } finally {
            id.close();
        }
        return pings;
    }

    private ConnectionParameters parameters() {
        ConnectionParameters.Builder parameters = ConnectionParameters.builder().mpa(settings.mpa());
        if (settings.fixedDepths()) {
            parameters.responderResources(1).initiatorDepth(1);
        }
        return parameters.build();
    }

    private void awaitEstablished() throws InterruptedException {
        RdmaCmEvent event = events.poll(settings.patience().toNanos(), TimeUnit.NANOSECONDS);
        if (event == null) {
            throw ToolException.noConnection(
                    "the connection did not come up in " + settings.patience().toSeconds() + " s");
        }
        if (!(event instanceof RdmaCmEvent.Established)) {
            throw ToolException.noConnection(
                    "cma event " + event.type().cName() + ", error " + event.status() + ": " + event.text());
        }
        tool.debug("ESTABLISHED");
    }

    private void awaitDisconnected() throws InterruptedException {
        RdmaCmEvent event;
        do {
            event = events.poll(DISCONNECT_SECONDS, TimeUnit.SECONDS);
        } while (event != null && !(event instanceof RdmaCmEvent.Disconnected));
        if (event != null) {
            tool.say("server DISCONNECT EVENT...");
        }
    }

    private void pingPong(PingEndpoint endpoint) throws InterruptedException {
        while (true) {
            PingMessage source;
            try {
                source = endpoint.receive();
            } catch (Completions.DisconnectedException end) {
                return;
            }
            try {
                pingPong(endpoint, source);
            } catch (Completions.DisconnectedException early) {
                throw ToolException.failed("the client disconnected in the middle of ping " + pings);
            }
            pings++;
        }
    }

    private void pingPong(PingEndpoint endpoint, PingMessage source) throws InterruptedException {
        tool.debug("Received " + source + " from peer");
        long size = Integer.toUnsignedLong(source.size());
        if (size > settings.size()) {
            throw ToolException.failed("the client's buffer of " + size + " bytes is larger than the server's of "
                    + settings.size() + ": give the server -S " + size);
        }
        endpoint.read(source);
        MemorySegment data = endpoint.data().asSlice(0, size);
        if (settings.validate()) {
            long at = PingPattern.firstDifference(data, pings);
            if (at >= 0) {
                throw ToolException.failed("data mismatch in ping " + pings + " at byte " + at);
            }
        }
        if (settings.verbose()) {
            tool.printData("server ping data: ", data);
        }
        endpoint.sendGoAhead();
        PingMessage sink = endpoint.receive();
        tool.debug("Received " + sink + " from peer");
        endpoint.write(sink, Math.min(PingPattern.textBytes(data) + 1, size));
        endpoint.sendGoAhead();
    }
}
