package io.jrdma.interop.peer;

import java.util.List;

/** Plain messages over siw. */
@KernelPeer(RdmaLink.SIW)
class MessagesPeerTest extends MessagesPeerCases {
    MessagesPeerTest() {
        super("iwarp");
    }

    /**
     * Here we are the side that has to send first although RFC 5044 section 7.1.2 gives that to the connecting side. siw drops a
     * peer whose first message comes together with the Reply, so a slow guest needs a long grace.
     */
    @Override
    List<String> ucmatoseServerOptions() {
        return List.of("--first-message-grace", "2000");
    }
}
