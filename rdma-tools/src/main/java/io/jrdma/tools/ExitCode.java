package io.jrdma.tools;

/** What the process ends with. */
public final class ExitCode {
    /** Everything was done. */
    public static final int DONE = 0;
    /** The work began and failed. */
    public static final int FAILED = 1;
    /** The command line is wrong. */
    public static final int USAGE = 2;
    /** No connection came up. */
    public static final int NO_CONNECTION = 3;

    private ExitCode() {}
}
