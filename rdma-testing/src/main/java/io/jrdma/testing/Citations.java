package io.jrdma.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds the clause ids that Java sources cite: in comments as <code>[RFC5044-4.4-2]</code>, in tests and tables as string literals.
 *
 * <p>A module's own check is one line: {@code assertThat(Citations.unknown(Requirements.load(), Path.of("src"))).isEmpty()}.
 */
public final class Citations {
    private static final Pattern CITATION =
            Pattern.compile("[\\[\"]((?:RFC\\d+-[0-9.]+-\\d+)|(?:IBTA-[A-Za-z0-9.-]+))[]\"]");

    private Citations() {}

    /** All citations in the Java files below a directory. */
    public static List<Citation> in(Path directory) {
        List<Citation> citations = new ArrayList<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file :
                    files.filter(f -> f.toString().endsWith(".java")).sorted().toList()) {
                List<String> lines = Files.readAllLines(file);
                for (int i = 0; i < lines.size(); i++) {
                    Matcher matcher = CITATION.matcher(lines.get(i));
                    while (matcher.find()) {
                        citations.add(new Citation(matcher.group(1), file, i + 1));
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(directory.toString(), e);
        }
        return citations;
    }

    /** Those citations below a directory whose id is not among the requirements. */
    public static List<Citation> unknown(Requirements requirements, Path directory) {
        return in(directory).stream()
                .filter(citation -> !requirements.byId().containsKey(citation.id()))
                .toList();
    }

    /** Those citations below a directory of main code whose id no file below the directory of its tests cites. */
    public static List<Citation> untested(Path main, Path test) {
        Set<String> tested = in(test).stream().map(Citation::id).collect(Collectors.toSet());
        return in(main).stream()
                .filter(citation -> !tested.contains(citation.id()))
                .toList();
    }

    /**
     * A citation.
     *
     * @param id the clause's id
     * @param file where
     * @param line which line, from 1
     */
    public record Citation(String id, Path file, int line) {}
}
