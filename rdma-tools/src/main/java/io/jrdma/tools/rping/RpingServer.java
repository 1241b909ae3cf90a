package io.jrdma.tools.rping;

import io.jrdma.cm.RdmaCmEvent;
import io.jrdma.cm.RdmaCmId;
import io.jrdma.cm.RdmaEventChannel;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** {@code rping -s}: one client, or with {@code -P} any number of them at once, each on a thread of its own. */
final class RpingServer {
    /** Requests that may wait: as many as the system's own default, so that clients that come all at once get in. */
    private static final int BACKLOG = RdmaCmId.DEFAULT_BACKLOG;

    private final RpingCommand tool;
    private final RpingSettings settings;
    private final Map<RdmaCmId, RpingServerSession> sessions = new ConcurrentHashMap<>();

    RpingServer(RpingCommand tool, RpingSettings settings) {
        this.tool = tool;
        this.settings = settings;
    }

    /** Listens and serves; returns how many pings the one client made. With {@code -P} it never returns. */
    int run() throws InterruptedException {
        try (RdmaEventChannel channel = RdmaEventChannel.create(settings.device());
                RdmaCmId listener = channel.createId(settings.transport())) {
            listener.bind(settings.address());
            listener.listen(BACKLOG, settings.mpa());
            tool.sayListening(listener.localAddress(), settings.transport());
            if (settings.persistent()) {
                channel.onEvent(this::onEvent);
                Thread.currentThread().join();
            }
            return serveOne(channel, listener);
        }
    }

    private int serveOne(RdmaEventChannel channel, RdmaCmId listener) throws InterruptedException {
        RdmaCmEvent event = channel.take();
        while (!(event instanceof RdmaCmEvent.ConnectRequest)) {
            tool.debug("cma_event type " + event.type().cName());
            event = channel.take();
        }
        RpingServerSession session = begin(event.id());
        channel.onEvent(this::onEvent);
        // once the client is in, whoever else comes is refused at once and need not wait for a server that will not
        // serve
        return session.serve(listener::close);
    }

    private RpingServerSession begin(RdmaCmId id) {
        RpingServerSession session = new RpingServerSession(tool, settings, id);
        sessions.put(id, session);
        return session;
    }

    private void onEvent(RdmaCmEvent event) {
        tool.debug("cma_event type " + event.type().cName());
        if (event instanceof RdmaCmEvent.ConnectRequest request && !settings.persistent()) {
            request.id().reject(new byte[0]);
            request.id().close();
        } else if (event instanceof RdmaCmEvent.ConnectRequest request) {
            RpingServerSession session = begin(request.id());
            Thread.ofVirtual().name("rping-session").start(() -> serve(request.id(), session));
        } else {
            RpingServerSession session = sessions.get(event.id());
            if (session != null) {
                session.onEvent(event);
            }
        }
    }

    private void serve(RdmaCmId id, RpingServerSession session) {
        try {
            session.serve(() -> {});
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException failure) {
            tool.complain(failure);
        } finally {
            sessions.remove(id);
        }
    }
}
