package io.jrdma.tools;

import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.Transport;
import picocli.CommandLine.Option;

/** Options for how an iWARP connection is set up; the defaults are {@link MpaOptions#RECOMMENDED}. */
public final class MpaMixin {
    @OnlyOver(Transport.IWARP)
    @Whole(max = 2)
    @Option(
            names = "--mpa-revision",
            paramLabel = "0|1|2",
            defaultValue = "2",
            description = "iWARP: MPA revision to ask for, or the highest to accept. Default: ${DEFAULT-VALUE}.")
    private int revision;

    @OnlyOver(Transport.IWARP)
    @Option(
            names = "--crc",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description = "iWARP: whether to ask for CRC. Default: yes; it is on when either side asks.")
    private boolean crc;

    @OnlyOver(Transport.IWARP)
    @Option(names = "--markers", description = "iWARP: ask the peer for markers. Linux siw refuses this.")
    private boolean markers;

    @OnlyOver(Transport.IWARP)
    @Option(names = "--peer-to-peer", description = "iWARP: ask for the peer-to-peer model of RFC 6581.")
    private boolean peerToPeer;

    /** The options that were given. */
    public MpaOptions options() {
        try {
            return MpaOptions.builder()
                    .revision(revision)
                    .crc(crc)
                    .markersWanted(markers)
                    .peerToPeer(peerToPeer)
                    .build();
        } catch (IllegalArgumentException wrong) {
            throw ToolException.usage(String.valueOf(wrong.getMessage()));
        }
    }
}
