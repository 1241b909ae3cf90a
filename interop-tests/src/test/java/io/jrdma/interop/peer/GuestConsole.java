package io.jrdma.interop.peer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** What the guest's kernel printed, in a file that qemu writes. */
final class GuestConsole {
    private static final int TAIL_LINES = 60;

    // What a kernel prints when it can no longer be trusted. A hung task is one of them: siw's connection worker stops
    // for good after an oops, and whoever waits for it is reported so.
    private static final Pattern CRASH = Pattern.compile("BUG: |kernel BUG at|Oops: |general protection fault"
            + "|Kernel panic|Unable to handle|blocked for more than \\d+ seconds");

    private final Path file;

    GuestConsole(Path file) {
        this.file = file;
    }

    Path file() {
        return file;
    }

    /** The last lines, and where the rest is. */
    String tail() {
        List<String> lines = lines();
        int from = Math.max(0, lines.size() - TAIL_LINES);
        return String.join("\n", lines.subList(from, lines.size())) + "\n(the whole console: " + file + ")";
    }

    /** The line in which the kernel says that something broke, if there is one. */
    Optional<String> crash() {
        return lines().stream().filter(line -> CRASH.matcher(line).find()).findFirst();
    }

    private List<String> lines() {
        try {
            // Firmware and kernel may put any byte there.
            return Files.exists(file)
                    ? new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)
                            .lines()
                            .toList()
                    : List.of();
        } catch (IOException e) {
            return List.of("(no console: " + e + ")");
        }
    }
}
