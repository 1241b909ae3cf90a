package io.jrdma.tools;

import io.jrdma.verbs.Transport;
import java.util.Locale;
import picocli.CommandLine.Option;

/** The option that chooses the wire. */
public final class TransportMixin {
    @Option(
            names = "--transport",
            paramLabel = "iwarp",
            defaultValue = "iwarp",
            description = "The wire. This version speaks iwarp only.")
    private String name = "";

    /** The wire that was chosen. */
    public Transport get() {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "iwarp" -> Transport.IWARP;
            case "roce" ->
                throw ToolException.usage("--transport roce: this version does not have it yet; it has iwarp");
            default -> throw ToolException.usage("--transport " + name + ": allowed is iwarp");
        };
    }
}
