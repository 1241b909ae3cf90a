package io.jrdma.tools;

import picocli.CommandLine.Option;

/** The option for the server's port. */
public final class PortMixin {
    private static final int MAX = 65535;

    @Whole(max = MAX)
    @Option(
            names = {"-p", "--port"},
            paramLabel = "PORT",
            description = "The server's port; a server given 0 takes a free one. Default: ${DEFAULT-VALUE}.")
    private int port;

    /**
     * The option.
     *
     * @param standard the port of the C tool
     */
    public PortMixin(int standard) {
        port = standard;
    }

    /** The port to listen at. */
    public int toListen() {
        return port;
    }

    /** The port to connect to. */
    public int toConnect() {
        Ranges.check("-p", port, 1, MAX);
        return port;
    }
}
