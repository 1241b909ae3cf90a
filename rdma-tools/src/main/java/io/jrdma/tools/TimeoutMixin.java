package io.jrdma.tools;

import java.time.Duration;
import picocli.CommandLine.Option;

/** The option for how long nothing may happen. */
public final class TimeoutMixin {
    /** The default of all commands, in seconds. */
    public static final int SECONDS = 30;

    /** The most that every system call takes. */
    public static final int MAX_SECONDS = 1_000_000;

    @Whole(min = 1, max = MAX_SECONDS)
    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description = {
                "Give up when nothing has happened for so long. Default: ${DEFAULT-VALUE}.",
                "A server waits for its clients without a limit."
            })
    private int seconds = SECONDS;

    /** The limit. */
    public Duration get() {
        return Duration.ofSeconds(seconds);
    }
}
