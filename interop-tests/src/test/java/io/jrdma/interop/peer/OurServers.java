package io.jrdma.interop.peer;

import java.time.Duration;

/** Starts servers of ours in the tests' namespace. */
final class OurServers {
    private OurServers() {}

    /** Starts a server and waits until it says that it listens: over RoCE nothing of it is to be seen among the system's listeners. */
    static PeerProcess startListening(PeerRig rig, Duration limit, String... arguments) {
        PeerProcess server = rig.namespace().startJrdma(arguments);
        try {
            server.awaitOutput("listening on", limit);
        } catch (Throwable t) {
            server.close();
            throw t;
        }
        return server;
    }
}
