package io.jrdma.tools;

import picocli.CommandLine.Option;

/** The option for results that programs read. */
public final class JsonMixin {
    @Option(names = "--json", description = "Print the results as JSON; all else goes to standard error.")
    private boolean json;

    /** Whether it was given. */
    public boolean get() {
        return json;
    }
}
