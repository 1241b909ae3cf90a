package io.jrdma.tools.pingpong;

import io.jrdma.tools.ToolException;
import io.jrdma.tools.Whole;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Options of ibv_rc_pingpong about what a card has and a device here has not. Those that cannot matter are taken, so that command lines
 * written for it work; those that would change what is done are refused by name.
 */
@SuppressWarnings("UnusedVariable") // the values are checked, and that is all
final class CardMixin {
    private static final String NO_EFFECT = "No effect here: ";

    @Whole(min = 1, max = 1)
    @Option(
            names = {"-i", "--ib-port"},
            paramLabel = "PORT",
            defaultValue = "1",
            description = NO_EFFECT + "a device has one port, 1.")
    private int port;

    @Whole
    @Option(
            names = {"-g", "--gid-idx"},
            paramLabel = "INDEX",
            defaultValue = "0",
            description = NO_EFFECT + "a device has one GID, that of its address; --bind chooses the address.")
    private int gidIndex;

    @Whole(max = 15)
    @Option(
            names = {"-l", "--sl"},
            paramLabel = "SL",
            defaultValue = "0",
            description = NO_EFFECT + "RoCEv2 has no service level on the wire.")
    private int serviceLevel;

    @Option(
            names = {"-d", "--ib-dev"},
            hidden = true)
    private @Nullable String device;

    @Option(
            names = {"-o", "--odp"},
            hidden = true)
    private boolean onDemandPaging;

    @Option(
            names = {"-O", "--iodp"},
            hidden = true)
    private boolean implicitOnDemandPaging;

    @Option(
            names = {"-P", "--prefetch"},
            hidden = true)
    private boolean prefetch;

    @Option(
            names = {"-t", "--ts"},
            hidden = true)
    private boolean timestamps;

    @Option(
            names = {"-j", "--dm"},
            hidden = true)
    private boolean deviceMemory;

    @Option(
            names = {"-N", "--new_send"},
            hidden = true)
    private boolean newSend;

    /** Refuses what is not there. */
    void check() {
        missing(device != null, "-d", "devices have no names; --bind ADDR chooses one by its address");
        missing(onDemandPaging, "-o", "memory is not paged on demand");
        missing(implicitOnDemandPaging, "-O", "memory is not paged on demand");
        missing(prefetch, "-P", "memory is not paged on demand");
        missing(timestamps, "-t", "completions have no time stamps");
        missing(deviceMemory, "-j", "devices have no memory of their own");
        missing(newSend, "-N", "there is one way to post a send");
    }

    private static void missing(boolean given, String option, String why) {
        if (given) {
            throw ToolException.usage(option + " of ibv_rc_pingpong is not available: " + why);
        }
    }
}
