package io.jrdma.tools.demo;

import io.jrdma.tools.Main;
import io.jrdma.tools.ToolException;
import io.jrdma.tools.UdpPorts;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The parent's hold on the demo's second process. One thread. */
final class DemoPeer implements AutoCloseable {
    private static final String END = "";
    private static final long ANSWER_SECONDS = 2 * DemoLink.PATIENCE.toSeconds() + 5;

    private final Process process;
    private final PrintWriter orders;
    private int number;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

    private DemoPeer(Process process) {
        this.process = process;
        orders = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
        // ended by Ctrl-C, this process must not leave the other one behind
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        Thread.ofVirtual().name("demo-peer-answers").start(this::readAnswers);
    }

    /** Starts the process: this Java, this class path. Its standard error is this process's. */
    static DemoPeer start(UdpPorts ports) throws IOException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "demo-peer",
                "--roce-port",
                Integer.toString(ports.passive()),
                "--roce-peer-port",
                Integer.toString(ports.active()));
        return new DemoPeer(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    long pid() {
        return process.pid();
    }

    private void readAnswers() {
        try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                answers.add(line);
            }
        } catch (IOException gone) {
            // the end of the process says the same
        }
        answers.add(END);
    }

    /** Gives an order and waits until it is carried out; returns what it gave. */
    String ask(String order) throws InterruptedException {
        number++;
        orders.println(number + " " + order);
        return answer();
    }

    /** Waits for one more answer to the last order. */
    String answer() throws InterruptedException {
        String begin = number + " ";
        String answer;
        do {
            answer = answers.poll(ANSWER_SECONDS, TimeUnit.SECONDS);
            if (answer == null) {
                throw ToolException.failed("the second process has not answered for " + ANSWER_SECONDS + " s");
            }
            if (answer.equals(END)) {
                throw ToolException.failed("the second process has ended"
                        + (process.waitFor(1, TimeUnit.SECONDS) ? " with exit code " + process.exitValue() : ""));
            }
        } while (!answer.startsWith(begin));
        String result = answer.substring(begin.length());
        if (!result.startsWith("ok")) {
            throw ToolException.failed("the second process: " + result.substring(result.indexOf(' ') + 1));
        }
        return result.substring(2).strip();
    }

    /** Lets the process end, and sees to it that it does. */
    @Override
    public void close() {
        orders.close();
        try {
            if (!process.waitFor(2, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException stopped) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
