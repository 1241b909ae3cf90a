package io.jrdma.interop.readme;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** README's program does what README says of it, when it is started as README says. */
final class ReadmeProgramTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String PORT = "7471";

    @TempDir
    private Path directory;

    private final List<Process> started = new ArrayList<>();

    @Test
    void clientWritesIntoTheServersMemory() throws Exception {
        int port = freePort();
        Path program = directory.resolve("Program.java");
        Files.writeString(program, program().replace(PORT, Integer.toString(port)));

        Process server = start(program, "server");
        awaitListener(server, port);
        Process client = start(program, "client");

        assertThat(ended(client)).as("client").isEmpty();
        assertThat(ended(server)).as("server").isEqualTo("written by RDMA");
    }

    /** The one program in README. */
    private static String program() throws IOException {
        String readme = Files.readString(Path.of("..", "README.md"));
        int begin = readme.indexOf("```java\n") + "```java\n".length();
        return readme.substring(begin, readme.indexOf("```", begin));
    }

    private Process start(Path program, String role) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        program.toString(),
                        role)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        started.add(process);
        return process;
    }

    /** Returns when something listens; the server drops the visitor, who is no MPA peer, and goes on waiting. */
    private static void awaitListener(Process server, int port) throws InterruptedException {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!answers(port)) {
            assertThat(server.waitFor(50, TimeUnit.MILLISECONDS))
                    .as("the server ended")
                    .isFalse();
            assertThat(System.nanoTime() - end).as("time over the limit").isNegative();
        }
    }

    private static boolean answers(int port) {
        try (Socket visitor = new Socket(InetAddress.ofLiteral("127.0.0.1"), port)) {
            return visitor.isConnected();
        } catch (IOException nobody) {
            return false;
        }
    }

    private static String ended(Process process) throws IOException, InterruptedException {
        try (BufferedReader output = process.inputReader()) {
            assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .as("the process ends in time")
                    .isTrue();
            assertThat(process.exitValue()).isZero();
            return String.join("\n", output.lines().toList());
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            return socket.getLocalPort();
        }
    }

    @AfterEach
    void endWhatIsLeft() {
        started.forEach(Process::destroyForcibly);
    }
}
