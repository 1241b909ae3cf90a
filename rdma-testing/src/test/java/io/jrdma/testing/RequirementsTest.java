package io.jrdma.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RequirementsTest {
    private static final String GOOD = """
            # a comment

            [[requirement]]
            id = "RFC5044-4.4-2"
            section = "4.4"
            level = "MUST"
            text = "Least significant byte first."
            """;

    @TempDir
    Path directory;

    @Test
    void theProjectsOwnFilesAreWellFormed() {
        var requirements = Requirements.load().byId();
        assertThat(requirements).containsKeys("RFC5044-7.1.2-4", "RFC5040-4.4-1", "RFC5041-4.1-4", "RFC6581-9-1");
        assertThat(requirements.values())
                .allSatisfy(r -> assertThat(r.id())
                        .as("an id names its section")
                        .matches(id -> id.startsWith("IBTA-") || id.contains("-" + r.section() + "-")));
    }

    @Test
    void entriesAreRead() throws IOException {
        assertThat(load(GOOD).byId())
                .containsOnlyKeys("RFC5044-4.4-2")
                .containsValue(
                        new Requirements.Requirement("RFC5044-4.4-2", "4.4", "MUST", "Least significant byte first."));
    }

    @Test
    void whatIsNotOfTheFormIsRefused() {
        refused(GOOD + GOOD, "twice");
        refused(GOOD.replace("MUST", "OUGHT"), "level");
        refused(GOOD.replace("RFC5044-4.4-2", "RFC5044"), "wrong id");
        refused(GOOD.replace("text =", "words ="), "line 7");
        refused(GOOD.replace("[[requirement]]", ""), "line 4");
        refused(GOOD.substring(0, GOOD.indexOf("text")), "ends inside");
        refused(GOOD + "rubbish\n", "rubbish");
    }

    @Test
    void citationsAreFoundInCommentsAndAnnotations() throws IOException {
        Files.writeString(directory.resolve("reqs.toml"), GOOD);
        Path sources = Files.createDirectories(directory.resolve("src/io"));
        Files.writeString(sources.resolve("A.java"), """
                // [RFC5044-4.4-2] least significant byte first
                @Satisfies({"RFC5044-4.4-2", "RFC5044-9.9-1"})
                // [RFC5044-4.4]
                """);
        Files.writeString(sources.resolve("A.txt"), "[RFC1-1-1]");
        assertThat(Citations.in(directory))
                .extracting(c -> c.id() + " " + c.line())
                .containsExactly("RFC5044-4.4-2 1", "RFC5044-4.4-2 2", "RFC5044-9.9-1 2", "RFC5044-4.4 3");
        assertThat(Citations.unknown(Requirements.load(directory), directory))
                .extracting(Citations.Citation::id)
                .containsExactly("RFC5044-9.9-1", "RFC5044-4.4");
    }

    @Test
    void clauseThatNoCommentCitesIsFound() throws IOException {
        Requirements two = load(GOOD + GOOD.replace("RFC5044-4.4-2", "RFC5044-4.4-3"));
        Path one = Files.createDirectories(directory.resolve("one"));
        Path other = Files.createDirectories(directory.resolve("other"));
        Files.writeString(one.resolve("A.java"), "// [RFC5044-4.4-3]\n");
        Files.writeString(other.resolve("B.java"), "new Reason(\"RFC5044-4.4-2\");\n");
        assertThat(Citations.uncited(two, List.of(one, other)))
                .extracting(Requirements.Requirement::id)
                .containsExactly("RFC5044-4.4-2");
        Files.writeString(other.resolve("B.java"), "/** [RFC5044-4.4-2] */\n");
        assertThat(Citations.uncited(two, List.of(one, other))).isEmpty();
    }

    private Requirements load(String text) throws IOException {
        Files.writeString(directory.resolve("test.toml"), text);
        return Requirements.load(directory);
    }

    private void refused(String text, String reason) {
        assertThatThrownBy(() -> load(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason);
    }
}
