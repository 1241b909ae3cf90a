package io.jrdma.tools;

import io.jrdma.verbs.Transport;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * What all subcommands share: help and version, and that results go to standard output, progress and complaints to standard
 * error.
 */
@Command(
        versionProvider = Version.class,
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            ExitCode.DONE + ":done",
            ExitCode.FAILED + ":the work failed",
            ExitCode.USAGE + ":wrong usage",
            ExitCode.NO_CONNECTION + ":could not connect"
        })
public abstract class ToolCommand implements Callable<Integer> {
    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--debug",
            description = "Tell more on standard error: what happens, and the stack trace of a failure.")
    private boolean debug;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    @SuppressWarnings("UnusedVariable") // picocli acts on it
    private boolean help;

    // no -V: rping has another use for it
    @Option(names = "--version", versionHelp = true, description = "Show the version.")
    @SuppressWarnings("UnusedVariable") // picocli acts on it
    private boolean version;

    /** Runs the command; returns an {@link ExitCode} or throws. */
    @Override
    public abstract Integer call() throws Exception;

    private CommandLine commandLine() {
        return Objects.requireNonNull(spec).commandLine();
    }

    /** Where the results go. */
    protected final PrintWriter out() {
        return commandLine().getOut();
    }

    /** Whether {@code --debug} was given. */
    public boolean debug() {
        return debug;
    }

    /** A line on standard error. */
    public final synchronized void say(String line) {
        PrintWriter err = commandLine().getErr();
        err.println(line);
        err.flush();
    }

    /** A line on standard error if {@code --debug} was given. */
    public final void debug(String line) {
        if (debug()) {
            say(line);
        }
    }

    /** Tells where a server listens: what a script waits for. */
    public final void sayListening(@Nullable InetSocketAddress address, Transport transport) {
        say("listening on " + Addresses.text(Objects.requireNonNull(address)) + " (" + transport.id() + ")");
    }

    /** A line on standard output, visible at once. */
    public final synchronized void print(String line) {
        out().println(line);
        out().flush();
    }
}
