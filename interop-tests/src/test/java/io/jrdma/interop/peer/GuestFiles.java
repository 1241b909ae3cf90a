package io.jrdma.interop.peer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Where the harness finds its scripts and puts its logs, and the guest that the scripts build. */
final class GuestFiles {
    /** The build fetches a kernel and its source: minutes where the network or the machine is slow. */
    private static final Duration BUILD_LIMIT = Duration.ofMinutes(20);

    private static boolean commandIsBuilt;

    private GuestFiles() {}

    /** The project's own command. It builds itself on first use, and nothing can be fetched in a namespace: so done here. */
    static synchronized String command() {
        String command = projectRoot().resolve("bin/jrdma").toString();
        if (!commandIsBuilt) {
            PeerProcess.run(List.of(command, "--version"), BUILD_LIMIT).orFail();
            commandIsBuilt = true;
        }
        return command;
    }

    /** The root of the project, from wherever in it the tests run. */
    static Path projectRoot() {
        for (Path dir = Path.of("").toAbsolutePath(); dir != null; dir = dir.getParent()) {
            if (Files.isExecutable(dir.resolve("interop-tests/guest/build"))) {
                return dir;
            }
        }
        throw new IllegalStateException("the tests do not run inside the project");
    }

    static String script(String name) {
        return projectRoot().resolve("interop-tests/guest").resolve(name).toString();
    }

    /** The directory for consoles, and captures of failed tests. */
    static Path logs() {
        try {
            return Files.createDirectories(projectRoot().resolve("interop-tests/target/kernel-peers"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Builds the guest unless it is there already, and tells what that took. Returns its directory. */
    static Path build() {
        List<String> lines = PeerProcess.run(List.of(script("build")), BUILD_LIMIT)
                .orFail()
                .output()
                .strip()
                .lines()
                .toList();
        lines.subList(0, lines.size() - 1).forEach(System.out::println);
        return Path.of(lines.getLast());
    }

    /** The versions of kernel and tools in a guest, one a line. */
    static String versions(Path guest) {
        try {
            return Files.readString(guest.resolve("versions"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
