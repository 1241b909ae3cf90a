package io.jrdma.tools;

import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.Transport;
import java.lang.reflect.AnnotatedElement;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The option that chooses the wire, and those that only one wire has. */
public final class TransportMixin {
    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    @Option(
            names = "--transport",
            paramLabel = "iwarp|roce",
            defaultValue = "iwarp",
            description = "The wire: iwarp (over TCP) or roce (RoCEv2, over UDP). Default: ${DEFAULT-VALUE}.")
    private String name = "";

    @Mixin
    private RoceMixin roce = new RoceMixin();

    @Mixin
    private MpaMixin mpa = new MpaMixin();

    /** The wire that was chosen; options that only another one has are wrong usage. */
    public Transport get() {
        Transport chosen = switch (name.toLowerCase(Locale.ROOT)) {
            case "iwarp" -> Transport.IWARP;
            case "roce" -> Transport.ROCE_V2;
            default -> throw ToolException.usage("--transport " + name + ": allowed are iwarp and roce");
        };
        for (OptionSpec option :
                Objects.requireNonNull(command).commandLine().getParseResult().matchedOptions()) {
            OnlyOver only =
                    option.userObject() instanceof AnnotatedElement field ? field.getAnnotation(OnlyOver.class) : null;
            if (only != null && only.value() != chosen) {
                String other = only.value() == Transport.IWARP ? "iwarp" : "roce";
                throw ToolException.usage(option.longestName() + " is for --transport " + other
                        + " alone, and does not go together with --transport " + name);
            }
        }
        return chosen;
    }

    /** How devices are opened, for a client or server with that time limit. */
    public DeviceOptions device(Duration limit) {
        return roce.device(limit);
    }

    /** How iWARP connections are set up. */
    public MpaOptions mpa() {
        return mpa.options();
    }

    /** A server to connect to within that limit. */
    public Destination to(InetSocketAddress server, Duration limit) {
        String wire = get() == Transport.IWARP ? "iWARP, TCP" : "RoCE, UDP port " + roce.peerPort();
        return new Destination(server, wire, limit);
    }
}
