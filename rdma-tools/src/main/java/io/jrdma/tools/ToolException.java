package io.jrdma.tools;

import org.jspecify.annotations.Nullable;

/** Ends a command with a message for its user and an exit code. The message names the thing, its value and, where it helps, what is allowed. */
public final class ToolException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    private ToolException(int exitCode, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    /** The work failed. */
    public static ToolException failed(String message) {
        return new ToolException(ExitCode.FAILED, message, null);
    }

    /** The work failed because of that. */
    public static ToolException failed(String message, Throwable cause) {
        return new ToolException(ExitCode.FAILED, message, cause);
    }

    /** The command line asks for something that does not exist. */
    public static ToolException usage(String message) {
        return new ToolException(ExitCode.USAGE, message, null);
    }

    /** No connection came up. */
    public static ToolException noConnection(String message) {
        return new ToolException(ExitCode.NO_CONNECTION, message, null);
    }

    /** No connection came up because of that. */
    public static ToolException noConnection(String message, Throwable cause) {
        return new ToolException(ExitCode.NO_CONNECTION, message, cause);
    }

    public int exitCode() {
        return exitCode;
    }
}
