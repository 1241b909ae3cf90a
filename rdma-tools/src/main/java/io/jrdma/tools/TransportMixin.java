package io.jrdma.tools;

import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.Transport;
import java.util.Locale;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The option that chooses the wire, and those that only one wire has. */
public final class TransportMixin {
    @Option(
            names = "--transport",
            paramLabel = "iwarp|roce",
            defaultValue = "iwarp",
            description = "The wire: iwarp (over TCP) or roce (RoCEv2, over UDP). Default: ${DEFAULT-VALUE}.")
    private String name = "";

    @Mixin
    private RoceMixin roce = new RoceMixin();

    /** The wire that was chosen. */
    public Transport get() {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "iwarp" -> Transport.IWARP;
            case "roce" -> Transport.ROCE_V2;
            default -> throw ToolException.usage("--transport " + name + ": allowed are iwarp and roce");
        };
    }

    /** How devices are opened. */
    public DeviceOptions device() {
        return roce.device();
    }
}
