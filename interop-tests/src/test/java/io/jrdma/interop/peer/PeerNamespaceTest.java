package io.jrdma.interop.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nothing is left behind: not after a test run that ends, and not after one that is killed. */
@Tag("kernel-peer")
class PeerNamespaceTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Test
    void closingEndsTheProcessesAndRemovesTheNamespace() {
        PeerProcess sleeper;
        String name;
        try (PeerNamespace namespace = PeerNamespace.create()) {
            name = namespace.name();
            assertThat(isThere(name)).isTrue();
            assertThat(namespace
                            .run(LIMIT, "ip", "-o", "addr", "show", "br0")
                            .orFail()
                            .output())
                    .contains("10.77.0.1/24")
                    .contains("fd77::1/64");
            sleeper = namespace.start("sleeper", List.of("sleep", "600"));
        }
        assertThat(sleeper.hasEndedWithin(LIMIT)).isTrue();
        assertThat(isThere(name)).isFalse();
    }

    @Test
    void theGuardCleansUpAfterAJvmThatWasKilled() {
        try (PeerProcess victim = PeerProcess.start(
                "victim",
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Victim.class.getName()))) {
            victim.awaitOutput("made jrdma-", LIMIT);
            victim.awaitOutput("\n", LIMIT);
            String name = victim.output().strip().replace("made ", "");
            assertThat(isThere(name)).isTrue();
            ProcessHandle.of(victim.pid()).orElseThrow().destroyForcibly();
            assertThat(victim.hasEndedWithin(LIMIT)).isTrue();
            // The guard is nobody's child now; its record goes last.
            PeerProcess.run(
                            List.of("sh", "-c", "while [ -e /run/jrdma-peers/" + name + " ]; do sleep 0.1; done"),
                            LIMIT)
                    .orFail();
            assertThat(isThere(name)).isFalse();
        }
    }

    @Test
    void sweepRemovesWhatADeadOwnerLeftAndNothingElse() {
        String peer = GuestFiles.script("peer");
        String left = "jrdma-left-" + ProcessHandle.current().pid();
        try (PeerNamespace alive = PeerNamespace.create();
                PeerProcess owner = PeerProcess.start("owner", List.of("sleep", "600"))) {
            PeerProcess.run(List.of(peer, "up", left, Long.toString(owner.pid())), LIMIT)
                    .orFail();
            PeerProcess.run(List.of(peer, "sweep"), LIMIT).orFail();
            assertThat(isThere(left)).isTrue();
            owner.close();
            PeerProcess.run(List.of(peer, "sweep"), LIMIT).orFail();
            assertThat(isThere(left)).isFalse();
            assertThat(isThere(alive.name())).isTrue();
        }
    }

    private static boolean isThere(String name) {
        return Files.exists(Path.of("/run/netns", name));
    }

    /** Makes a namespace and waits to be killed. */
    static final class Victim {
        private Victim() {}

        public static void main(String[] arguments) throws InterruptedException {
            try (PeerNamespace namespace = PeerNamespace.create()) {
                System.out.println("made " + namespace.name());
                Thread.currentThread().join();
            }
        }
    }
}
