package io.jrdma.tools;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.VerbsException;
import java.io.PrintWriter;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns exceptions into one line on standard error and an exit code; {@code --debug} adds the stack trace. */
final class Failures implements IExecutionExceptionHandler, IParameterExceptionHandler {
    private static final Set<Errno> NO_CONNECTION =
            Set.of(Errno.ECONNREFUSED, Errno.ECONNRESET, Errno.ENETUNREACH, Errno.EHOSTUNREACH, Errno.ETIMEDOUT);

    @Override
    public int handleExecutionException(Exception failure, CommandLine command, ParseResult result) {
        PrintWriter err = command.getErr();
        String name = command.getCommandSpec().qualifiedName();
        boolean debug = command.getCommand() instanceof ToolCommand tool && tool.debug();
        int exitCode;
        switch (failure) {
            case ToolException expected -> {
                err.println(name + ": " + expected.getMessage());
                exitCode = expected.exitCode();
            }
            case VerbsException refused -> {
                err.println(name + ": " + refused.getMessage());
                exitCode = NO_CONNECTION.contains(refused.errno()) ? ExitCode.NO_CONNECTION : ExitCode.FAILED;
            }
            case InterruptedException interrupted -> {
                err.println(name + ": interrupted");
                exitCode = ExitCode.FAILED;
            }
            default -> {
                err.println(name + ": internal error: " + failure + (debug ? "" : " (--debug shows where)"));
                exitCode = ExitCode.FAILED;
            }
        }
        if (debug) {
            failure.printStackTrace(err);
        } else if (exitCode == ExitCode.USAGE) {
            err.println("Try '" + name + " --help'.");
        }
        err.flush();
        return exitCode;
    }

    @Override
    public int handleParseException(ParameterException failure, String[] args) {
        CommandLine command = failure.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        PrintWriter err = command.getErr();
        String number = Ranges.complaint(failure);
        err.println(name + ": " + (number == null ? failure.getMessage() : number));
        UnmatchedArgumentException.printSuggestions(failure, err);
        if (failure.getCause() instanceof ToolException
                && command.getCommand() instanceof ToolCommand tool
                && tool.debug()) {
            failure.printStackTrace(err);
        } else {
            err.println("Try '" + name + " --help'.");
        }
        err.flush();
        return ExitCode.USAGE;
    }
}
