package io.jrdma.interop.peer;

/**
 * What a finished command came to.
 *
 * @param command what was run, for messages
 * @param exitCode as the shell has it; {@link #TIME_UP} or {@link #KILLED} where its time was up
 * @param output standard output and standard error in the order in which they were written
 */
public record Outcome(String command, int exitCode, String output) {
    /** The command was asked to end because its time was up. */
    public static final int TIME_UP = 124;

    /** The command did not end when asked, and was killed. */
    public static final int KILLED = 137;

    /** This outcome if the exit code is 0. */
    public Outcome orFail() {
        if (exitCode != 0) {
            throw new AssertionError(this + " instead of 0");
        }
        return this;
    }

    @Override
    public String toString() {
        String how = switch (exitCode) {
            case TIME_UP -> " (its time was up)";
            case KILLED -> " (killed, its time was up)";
            default -> "";
        };
        return "'" + command + "' ended with " + exitCode + how + ", having printed:\n" + output.indent(4);
    }
}
