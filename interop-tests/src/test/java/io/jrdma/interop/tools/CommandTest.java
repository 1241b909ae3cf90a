package io.jrdma.interop.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.interop.peer.Outcome;
import io.jrdma.interop.peer.PeerProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CommandTest {
    private static final Duration BUILD_LIMIT = Duration.ofMinutes(10);
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static String command;

    @BeforeAll
    static void findTheCommand() {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.isExecutable(root.resolve("bin/jrdma"))) {
            root = root.getParent();
            assertThat(root).as("the project's root").isNotNull();
        }
        command = root.resolve("bin/jrdma").toString();
        // it builds itself where its jars are older than its sources
        PeerProcess.run(List.of(command, "--version"), BUILD_LIMIT).orFail();
    }

    @Test
    void demoSucceedsAndLeavesNoProcessBehind() {
        Outcome demo = run("demo", "--debug");
        demo.orFail();
        assertThat(demo.output())
                .contains("iwarp 127.0.0.1", "RDMA Write", "RDMA Read", "Read, wrong key", "operations ok")
                .doesNotContain("FAILED");
        long second = Long.parseLong(demo.output().replaceFirst("(?s).*the second process is (\\d+).*", "$1"));
        assertThat(ProcessHandle.of(second)).isEmpty();
    }

    @Test
    void demoThatIsStoppedTakesItsSecondProcessWithIt() throws Exception {
        try (PeerProcess demo = start("demo", "--debug")) {
            demo.awaitOutput("iwarp at 127.0.0.1", LIMIT);
            List<ProcessHandle> children =
                    ProcessHandle.of(demo.pid()).orElseThrow().descendants().toList();
            assertThat(children).isNotEmpty();
            ProcessHandle.of(demo.pid()).orElseThrow().destroy();
            for (ProcessHandle child : children) {
                child.onExit().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1, 16", "127.0.0.1, 65535", "::1, 4096"})
    void rpingInTwoProcesses(String address, String size) {
        try (PeerProcess server = start("rping", "-s", "-a", address, "-p", "0", "-V")) {
            Outcome client = run("rping", "-c", "-a", address, "-p", portOf(server), "-C", "100", "-S", size, "-V");
            client.orFail();
            server.await(LIMIT).orFail();
        }
    }

    @Test
    void rpingServesSeveralProcessesAtOnce() {
        try (PeerProcess server = start("rping", "-s", "-P", "-a", "127.0.0.1", "-p", "0", "-V")) {
            String port = portOf(server);
            List<PeerProcess> clients = new ArrayList<>();
            try {
                for (int i = 0; i < 3; i++) {
                    clients.add(start(
                            "rping", "-c", "-a", "127.0.0.1", "-p", port, "-C", "20", "-V", "--connections", "5"));
                }
                for (PeerProcess client : clients) {
                    client.await(LIMIT).orFail();
                }
            } finally {
                clients.forEach(PeerProcess::close);
            }
            assertThat(server.isAlive()).isTrue();
        }
    }

    @Test
    void ucmatoseInTwoProcesses() {
        try (PeerProcess server = start("ucmatose", "-b", "127.0.0.1", "-p", "0", "-c", "2")) {
            run("ucmatose", "-s", "127.0.0.1", "-p", portOf(server), "-c", "2").orFail();
            server.await(LIMIT).orFail();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0, devinfo -l",
        "0, rping --help",
        "2, rping",
        "2, rping -c -a 127.0.0.1 --transport tcp",
        "2, no-such-command",
        "3, rping -c -a 127.0.0.1 -p 1 -C 1",
    })
    void exitCodesReachTheShell(int code, String line) {
        Outcome outcome = run(line.split(" "));
        assertThat(outcome.exitCode()).as(outcome.output()).isEqualTo(code);
        assertThat(outcome.output()).doesNotContain("\tat ", "SLF4J", "WARNING");
    }

    private static PeerProcess start(String... arguments) {
        List<String> line = new ArrayList<>(List.of(command));
        line.addAll(List.of(arguments));
        return PeerProcess.start("jrdma " + String.join(" ", arguments), line);
    }

    private static Outcome run(String... arguments) {
        try (PeerProcess process = start(arguments)) {
            return process.await(LIMIT);
        }
    }

    private static String portOf(PeerProcess server) {
        server.awaitOutput(" (iwarp)", LIMIT);
        return server.output().replaceFirst("(?s).*listening on \\S+:(\\d+) .*", "$1");
    }
}
