package io.jrdma.interop.peer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * A running guest: a Linux kernel with siw and rdma_rxe, and the RDMA tools.
 *
 * <p>Every command has a time limit, kept by the guest and watched from here: a guest that does not answer, or whose kernel
 * reports a crash, ends the test with a {@link GuestFailure} that shows its console, and is not used again. Commands run
 * one after another, whichever thread asks.
 */
public final class KernelGuest implements AutoCloseable {
    private static final Duration BOOT_LIMIT = Duration.ofMinutes(4);
    private static final Duration SHORT = Duration.ofSeconds(30);

    private final int number;
    private final PeerProcess qemu;
    private final GuestConsole console;
    private final GuestChannel channel;
    private final List<GuestJob> jobs = new ArrayList<>();
    private int jobNumber;
    private boolean failed;

    private KernelGuest(int number, PeerProcess qemu, GuestConsole console, GuestChannel channel) {
        this.number = number;
        this.qemu = qemu;
        this.console = console;
        this.channel = channel;
    }

    /**
     * Boots a guest and waits until it takes commands.
     *
     * @param number 2..250, the last part of its addresses
     * @param files the directory with the kernel
     */
    static KernelGuest boot(PeerNamespace namespace, int number, Path files) {
        GuestConsole console =
                new GuestConsole(GuestFiles.logs().resolve(namespace.name() + "-guest" + number + ".log"));
        PeerProcess qemu = PeerProcess.start(
                "qemu of guest " + number,
                List.of(
                        GuestFiles.script("peer"),
                        "boot",
                        namespace.name(),
                        Integer.toString(number),
                        files.toString(),
                        console.file().toString()));
        try {
            GuestChannel channel = connect(namespace.agentSocket(number), qemu);
            channel.awaitReady(BOOT_LIMIT);
            return new KernelGuest(number, qemu, console, channel);
        } catch (IOException e) {
            qemu.close();
            throw new GuestFailure(
                    "guest " + number + " did not boot; qemu printed: " + qemu.output(), console.tail(), e);
        }
    }

    private static GuestChannel connect(Path socket, PeerProcess qemu) throws IOException {
        long deadline = System.nanoTime() + SHORT.toNanos();
        while (true) {
            try {
                if (Files.exists(socket)) {
                    return GuestChannel.connect(socket);
                }
            } catch (IOException e) {
                // qemu has bound the socket and does not yet listen on it.
            }
            if (qemu.hasEndedWithin(Duration.ofMillis(20)) || System.nanoTime() - deadline > 0) {
                throw new IOException("qemu offers no command port");
            }
        }
    }

    public String address4() {
        return "10.77.0." + number;
    }

    public String address6() {
        return "fd77::" + number;
    }

    /** Runs a shell script; the exit code is the caller's to judge. */
    public Outcome run(String script, Duration limit) {
        try {
            Outcome outcome = channel.run(script, limit);
            checkHealth();
            return outcome;
        } catch (IOException e) {
            failed = true;
            throw new GuestFailure(
                    "guest " + number + " does not answer: " + e.getMessage()
                            + console.crash()
                                    .map(line -> "\nIts kernel says: " + line)
                                    .orElse(""),
                    console.tail(),
                    e);
        }
    }

    /** Runs a short script that must succeed. Returns what it printed. */
    public String run(String script) {
        return run(script, SHORT).orFail().output();
    }

    /** Starts a shell script in the background; at the limit the guest ends it. */
    public GuestJob start(String script, Duration limit) {
        GuestJob job = GuestJob.start(this, ++jobNumber, script, limit);
        jobs.add(job);
        return job;
    }

    /** Starts a server in the background, and waits until an RDMA listener is there on the port. */
    public GuestJob startServer(String script, int port, Duration limit) {
        return startServer(
                script, port, limit, "rdma resource show cm_id | grep 'state LISTEN' | grep -qE ':" + port + "( |$)'");
    }

    /** Starts a server in the background, and waits until something listens on the TCP port. */
    public GuestJob startTcpServer(String script, int port, Duration limit) {
        // columns of /proc/net/tcp: slot, local address:port in hex, remote address:port, state (0A is LISTEN)
        String listens = String.format("cat /proc/net/tcp /proc/net/tcp6 | grep -qE ':%04X [0-9A-F:]+ 0A '", port);
        return startServer(script, port, limit, listens);
    }

    private GuestJob startServer(String script, int port, Duration limit, String condition) {
        GuestJob job = start(script, limit);
        Outcome listening =
                run("until " + condition + "; do [ -e " + job.codeFile() + " ] && exit 1; sleep 0.1; done", SHORT);
        if (listening.exitCode() != 0) {
            throw new GuestFailure(
                    "nobody listens on port " + port + " of guest " + number + "; '" + script + "' printed:\n"
                            + job.output().indent(4),
                    console.tail());
        }
        return job;
    }

    /** Leaves one RDMA device, of the driver that the test is about. Background jobs are ended first. */
    public void use(RdmaLink link) {
        endJobs();
        StringBuilder script = new StringBuilder();
        for (RdmaLink other : RdmaLink.values()) {
            if (other != link) {
                script.append("[ ! -e /sys/class/infiniband/%1$s ] || rdma link del %1$s\n".formatted(other.device()));
            }
        }
        script.append("[ -e /sys/class/infiniband/%1$s ] || rdma link add %1$s type %2$s netdev eth0\n"
                .formatted(link.device(), link.type()));
        run("set -e\n" + script);
    }

    /** Reads a file of the guest. Meant for small ones: the serial line carries about 100 KiB a second. */
    public byte[] copyOut(String path) {
        Outcome read = run("base64 '" + path + "'", Duration.ofMinutes(5)).orFail();
        return Base64.getMimeDecoder().decode(read.output());
    }

    /** Ends all background jobs. */
    void endJobs() {
        try {
            jobs.forEach(GuestJob::kill);
        } catch (AssertionError e) {
            // What cannot be killed sits in the kernel for good.
            failed = true;
            throw new GuestFailure("guest " + number + " cannot end its jobs: " + e.getMessage(), console.tail(), e);
        } finally {
            jobs.clear();
        }
    }

    /** Throws if the kernel has reported a crash since it was booted. */
    void checkHealth() {
        Optional<String> crash = console.crash();
        if (crash.isPresent()) {
            failed = true;
            throw new GuestFailure("the kernel of guest " + number + " broke: " + crash.get(), console.tail());
        }
    }

    /** Whether the guest can still be used. */
    boolean isUsable() {
        return !failed && qemu.isAlive();
    }

    GuestConsole console() {
        return console;
    }

    /** Switches the guest off. */
    @Override
    public void close() {
        channel.close();
        qemu.close();
    }
}
