package io.jrdma.interop.peer;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A network namespace of our own: a bridge with our address, to which guests are attached. Our side's programs run in it
 * too, as child processes.
 *
 * <p>Its name is new each time. When it is closed, every process in it is ended and it is removed. The same happens when
 * this JVM dies, however it dies: a guard process watches for that. What even the guard could not remove, the next run
 * does, by the record that names the dead owner.
 */
public final class PeerNamespace implements AutoCloseable {
    /** Our side's IPv4 address. */
    public static final String ADDRESS_4 = "10.77.0.1";

    /** Our side's IPv6 address. */
    public static final String ADDRESS_6 = "fd77::1";

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final String name;
    private final PeerProcess guard;

    private PeerNamespace(String name, PeerProcess guard) {
        this.name = name;
        this.guard = guard;
    }

    /** Removes what dead runs left behind, and makes a new namespace. Needs root. */
    public static PeerNamespace create() {
        long pid = ProcessHandle.current().pid();
        String name = "jrdma-" + pid + "-"
                + Integer.toHexString(ThreadLocalRandom.current().nextInt(0x1000, 0x10000));
        String peer = GuestFiles.script("peer");
        PeerProcess.run(List.of(peer, "sweep"), LIMIT).orFail();
        // The guard comes first: whatever `up` gets done, there is someone to undo it. setsid keeps Ctrl-C from it.
        PeerProcess guard = PeerProcess.start("guard of " + name, List.of("setsid", peer, "guard", name));
        try {
            PeerProcess.run(List.of(peer, "up", name, Long.toString(pid)), LIMIT)
                    .orFail();
        } catch (Throwable t) {
            dismiss(guard);
            throw t;
        }
        return new PeerNamespace(name, guard);
    }

    public String name() {
        return name;
    }

    /** Starts a program in the namespace. */
    public PeerProcess start(String label, List<String> command) {
        List<String> line = new ArrayList<>(List.of("ip", "netns", "exec", name));
        line.addAll(command);
        return PeerProcess.start(label, line);
    }

    /** Runs a program in the namespace to its end. */
    public Outcome run(Duration limit, String... command) {
        try (PeerProcess process = start(String.join(" ", command), List.of(command))) {
            return process.await(limit);
        }
    }

    /** Starts a Java program of the tests' class path in the namespace. */
    public PeerProcess startJava(Class<?> main, String... arguments) {
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-ea",
                "-Xmx512m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        line.addAll(List.of(arguments));
        return start(main.getSimpleName() + " " + String.join(" ", arguments), line);
    }

    /** Runs a Java program of the tests' class path in the namespace to its end. */
    public Outcome runJava(Duration limit, Class<?> main, String... arguments) {
        try (PeerProcess process = startJava(main, arguments)) {
            return process.await(limit);
        }
    }

    /** Starts the project's own command, {@code bin/jrdma ARGUMENTS}, in the namespace. */
    public PeerProcess startJrdma(String... arguments) {
        String jrdma = GuestFiles.command();
        List<String> line = new ArrayList<>(List.of(jrdma));
        line.addAll(List.of(arguments));
        return start("bin/jrdma " + String.join(" ", arguments), line);
    }

    /** Runs the project's own command in the namespace to its end. */
    public Outcome runJrdma(Duration limit, String... arguments) {
        try (PeerProcess process = startJrdma(arguments)) {
            return process.await(limit);
        }
    }

    /** Where qemu puts the end of a guest's command port. */
    Path agentSocket(int guest) {
        return Path.of("/run/jrdma-peers", name, "guest" + guest + ".agent");
    }

    @Override
    public void close() {
        dismiss(guard);
    }

    /** The guard does its work when its input ends, which is also what happens when this JVM dies. */
    private static void dismiss(PeerProcess guard) {
        try {
            guard.input().close();
        } catch (IOException e) {
            throw new AssertionError("the guard is gone", e);
        }
        guard.await(LIMIT).orFail();
    }
}
