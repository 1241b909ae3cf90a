package io.jrdma.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds the clause ids that Java sources cite: in comments as <code>[RFC5044-4.4-2]</code>, in tests and tables as
 * string literals. {@code SpecCoverageTest} in {@code interop-tests} asks for all modules at once.
 */
public final class Citations {
    // in brackets whatever begins like an id, so that one that is written wrong is not overlooked
    private static final Pattern CITATION =
            Pattern.compile("\\[((?:RFC\\d+|IBTA)-[^]\"]*)]|\"((?:RFC\\d+-[0-9.]+-\\d+)|(?:IBTA-[A-Za-z0-9.-]+))\"");

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
                        boolean comment = matcher.group(1) != null;
                        citations.add(new Citation(matcher.group(comment ? 1 : 2), file, i + 1, comment));
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

    /**
     * Those requirements that no comment below any of the directories cites, by id. A literal does not count: a table that names
     * the clause of an error is not what finds the error.
     */
    public static List<Requirements.Requirement> uncited(Requirements requirements, Collection<Path> directories) {
        Set<String> cited = directories.stream()
                .flatMap(directory -> in(directory).stream())
                .filter(Citation::comment)
                .map(Citation::id)
                .collect(Collectors.toSet());
        return requirements.byId().values().stream()
                .filter(requirement -> !cited.contains(requirement.id()))
                .sorted(Comparator.comparing(Requirements.Requirement::id))
                .toList();
    }

    /**
     * A citation.
     *
     * @param id the clause's id
     * @param file where
     * @param line which line, from 1
     * @param comment whether in brackets, as in a comment; otherwise it is a string literal
     */
    public record Citation(String id, Path file, int line, boolean comment) {}
}
