package io.jrdma.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The sentences of the standards that code and tests cite: {@code specs/requirements/*.toml}.
 *
 * <p>The files use one form of TOML only: {@code [[requirement]]} followed by the four lines {@code id}, {@code section}, {@code level}
 * and {@code text}, each {@code key = "value"}; empty lines and lines that start with a hash are skipped.
 */
public final class Requirements {
    private static final Pattern LINE = Pattern.compile("(id|section|level|text) = \"([^\"]+)\"");
    private static final Pattern ID = Pattern.compile("RFC\\d+-[0-9.]+-\\d+|IBTA-[A-Za-z0-9.-]+");
    private static final List<String> KEYS = List.of("id", "section", "level", "text");
    private static final List<String> LEVELS = List.of("MUST", "SHOULD", "MAY");

    private final Map<String, Requirement> byId = new LinkedHashMap<>();

    private Requirements() {}

    /**
     * Loads all files of the project that the working directory is in.
     *
     * @throws IllegalStateException if no directory above has {@code specs/requirements}
     * @throws IllegalArgumentException if a file is not of the form above, or an id is there twice
     */
    public static Requirements load() {
        return load(projectRoot().resolve("specs/requirements"));
    }

    /** Loads all files of a directory. */
    public static Requirements load(Path directory) {
        Requirements requirements = new Requirements();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file :
                    files.filter(f -> f.toString().endsWith(".toml")).sorted().toList()) {
                requirements.parse(Files.readAllLines(file), file.getFileName().toString());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(directory.toString(), e);
        }
        return requirements;
    }

    /** The project's root: the nearest directory, from the working directory up, that has {@code specs/requirements}. */
    public static Path projectRoot() {
        Path start = Path.of("").toAbsolutePath();
        for (Path directory = start; directory != null; directory = directory.getParent()) {
            if (Files.isDirectory(directory.resolve("specs/requirements"))) {
                return directory;
            }
        }
        throw new IllegalStateException("no specs/requirements above " + start);
    }

    /** All of them, by id. */
    public Map<String, Requirement> byId() {
        return Map.copyOf(byId);
    }

    private void parse(List<String> lines, String file) {
        Map<String, String> entry = null;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            String where = file + " line " + (i + 1);
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            if (line.equals("[[requirement]]")) {
                entry = new LinkedHashMap<>();
                continue;
            }
            Matcher matcher = LINE.matcher(line);
            if (entry == null || !matcher.matches()) {
                throw new IllegalArgumentException(where + ": " + line);
            }
            entry.put(matcher.group(1), matcher.group(2));
            if (List.copyOf(entry.keySet()).equals(KEYS)) {
                add(entry, where);
                entry = null;
            }
        }
        if (entry != null) {
            throw new IllegalArgumentException(file + " ends inside an entry");
        }
    }

    private void add(Map<String, String> entry, String where) {
        Requirement requirement = new Requirement(
                entry.getOrDefault("id", ""),
                entry.getOrDefault("section", ""),
                entry.getOrDefault("level", ""),
                entry.getOrDefault("text", ""));
        if (!ID.matcher(requirement.id()).matches() || !LEVELS.contains(requirement.level())) {
            throw new IllegalArgumentException(where + ": wrong id or level: " + requirement);
        }
        if (byId.putIfAbsent(requirement.id(), requirement) != null) {
            throw new IllegalArgumentException(where + ": " + requirement.id() + " is there twice");
        }
    }

    /**
     * A sentence of a standard.
     *
     * @param id for example {@code RFC5044-7.1.2-4}
     * @param section the section it stands in
     * @param level MUST, SHOULD or MAY
     * @param text what it says, in our words
     */
    public record Requirement(String id, String section, String level, String text) {}
}
