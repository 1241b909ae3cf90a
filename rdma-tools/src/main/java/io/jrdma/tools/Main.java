package io.jrdma.tools;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The {@code jrdma} command. */
@Command(name = "jrdma", mixinStandardHelpOptions = true, version = "jrdma 0.1.0-SNAPSHOT")
public final class Main {

    private Main() {}

    /** Runs the command and ends the process with its exit code. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new Main()).execute(args));
    }
}
