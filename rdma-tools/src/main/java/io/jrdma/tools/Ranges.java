package io.jrdma.tools;

/** Checks of numbers from the command line. */
public final class Ranges {
    private Ranges() {}

    /** Complains of wrong usage, naming the option, its value and what is allowed. */
    public static void check(String option, long value, long min, long max) {
        if (value < min || value > max) {
            throw ToolException.usage(option + " " + value + " is outside " + min + ".." + max);
        }
    }
}
