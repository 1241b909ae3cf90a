package io.jrdma.tools;

import io.jrdma.verbs.MpaOptions;
import picocli.CommandLine.Option;

/** Options for how an iWARP connection is set up; the defaults are {@link MpaOptions#RECOMMENDED}. */
public final class MpaMixin {
    @Option(
            names = "--mpa-revision",
            paramLabel = "0|1|2",
            defaultValue = "2",
            description = "MPA revision to ask for, or the highest to accept. Default: ${DEFAULT-VALUE}.")
    private int revision;

    @Option(
            names = "--crc",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description = "Whether to ask for CRC. Default: yes; it is on when either side asks.")
    private boolean crc;

    @Option(names = "--markers", description = "Ask the peer for markers. Linux siw refuses this.")
    private boolean markers;

    @Option(names = "--peer-to-peer", description = "Ask for the peer-to-peer model of RFC 6581.")
    private boolean peerToPeer;

    /** The options that were given. */
    public MpaOptions options() {
        Ranges.check("--mpa-revision", revision, 0, 2);
        try {
            return builder().build();
        } catch (IllegalArgumentException wrong) {
            throw ToolException.usage(String.valueOf(wrong.getMessage()));
        }
    }

    /** A builder with the options that were given. */
    public MpaOptions.Builder builder() {
        return MpaOptions.builder()
                .revision(revision)
                .crc(crc)
                .markersWanted(markers)
                .peerToPeer(peerToPeer);
    }
}
