package io.jrdma.tools;

import io.jrdma.tools.demo.DemoCommand;
import io.jrdma.tools.demo.DemoPeerCommand;
import io.jrdma.tools.pingpong.RcPingpongCommand;
import io.jrdma.tools.rping.RpingCommand;
import io.jrdma.tools.ucmatose.UcmatoseCommand;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The {@code jrdma} command: finds the subcommand, and turns its result into the exit code of the process. */
@Command(
        name = "jrdma",
        description = "RDMA for hosts that have no RDMA card.",
        versionProvider = Version.class,
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            ExitCode.DONE + ":done",
            ExitCode.FAILED + ":the work failed",
            ExitCode.USAGE + ":wrong usage",
            ExitCode.NO_CONNECTION + ":could not connect"
        },
        subcommands = {
            DemoCommand.class,
            RpingCommand.class,
            UcmatoseCommand.class,
            RdmaClientCommand.class,
            RdmaServerCommand.class,
            RcPingpongCommand.class,
            DevinfoCommand.class,
            HelpCommand.class,
            DemoPeerCommand.class
        })
public final class Main implements Runnable {
    @Spec
    private @Nullable CommandSpec spec;

    private Main() {}

    /** Runs the command and ends the process with its exit code. */
    public static void main(String[] args) {
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        System.exit(run(out, err, args));
    }

    /** Runs the command in this process and returns its exit code. */
    public static int run(PrintWriter out, PrintWriter err, String... args) {
        Failures failures = new Failures();
        int exitCode = new CommandLine(new Main())
                .setOut(out)
                .setErr(err)
                .setExecutionExceptionHandler(failures)
                .setParameterExceptionHandler(failures)
                .setExecutionStrategy(Main::execute)
                .execute(args);
        out.flush();
        err.flush();
        return exitCode;
    }

    private static int execute(ParseResult result) {
        for (CommandLine command : result.asCommandLineList()) {
            if (command.getCommand() instanceof ToolCommand) {
                Ranges.check(command.getParseResult());
            }
            if (command.getCommand() instanceof ToolCommand tool && tool.debug()) {
                // read when a logger is made, which is later than this; the libraries' own chatter stays off
                System.setProperty("org.slf4j.simpleLogger.log.io.jrdma", "debug");
            }
        }
        return new CommandLine.RunLast().execute(result);
    }

    @Override
    public void run() {
        CommandSpec self = Objects.requireNonNull(spec);
        List<String> names = self.subcommands().entrySet().stream()
                .filter(entry ->
                        !entry.getValue().getCommandSpec().usageMessage().hidden())
                .map(Map.Entry::getKey)
                .toList();
        throw new ParameterException(self.commandLine(), "which command? " + String.join(", ", names));
    }
}
