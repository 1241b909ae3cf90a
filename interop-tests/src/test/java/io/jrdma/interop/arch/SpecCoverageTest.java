package io.jrdma.interop.arch;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.jrdma.interop.arch.fixture.Citing;
import io.jrdma.testing.Citations;
import io.jrdma.testing.Requirements;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every clause of {@code specs/requirements} has a test in some module that names it, and a line of main code that carries it out
 * and says so; neither names what is no clause.
 */
class SpecCoverageTest {

    private static final Requirements REQUIREMENTS = Requirements.load();

    private static final Set<String> CLAUSES = REQUIREMENTS.byId().keySet();

    private static final SpecCoverage ALL =
            new SpecCoverage(Siblings.testClasses().that(resideOutsideOfPackage("..fixture..")));

    private static final SpecCoverage PLANTED =
            new SpecCoverage(new ClassFileImporter().importClasses(Citing.OfTheClass.class, Citing.WithoutTests.class));

    @Test
    void everyClauseIsNamedByATest() {
        assertThat(ALL.uncited(CLAUSES))
                .as("clauses of specs/requirements that no compiled test of any module names with @Satisfies")
                .isEmpty();
    }

    @Test
    void whatTestsNameIsAClause() {
        assertThat(ALL.unknown(CLAUSES)).isEmpty();
    }

    @Test
    void onlyTestsNameClauses() {
        assertThat(ALL.idle()).isEmpty();
    }

    @Test
    void everyClauseIsCitedByTheCodeThatCarriesItOut() {
        assertThat(Citations.uncited(REQUIREMENTS, Siblings.mainSources()))
                .extracting(clause -> clause.id() + ": " + clause.text())
                .as("clauses of specs/requirements that no comment in any module's src/main/java cites as [id]")
                .isEmpty();
    }

    @Test
    void whatMainCodeCitesIsAClause() {
        assertThat(unknown(REQUIREMENTS))
                .as("citations in main code of ids that specs/requirements does not have")
                .isEmpty();
    }

    private static List<Citations.Citation> unknown(Requirements requirements) {
        return Siblings.mainSources().stream()
                .flatMap(sources -> Citations.unknown(requirements, sources).stream())
                .toList();
    }

    @Test
    void aClauseThatNoMainCodeCitesAndACitationOfNoneAreNoticed(@TempDir Path directory) throws IOException {
        Files.writeString(directory.resolve("other.toml"), """
                [[requirement]]
                id = "RFC0-1-9"
                section = "1"
                level = "MUST"
                text = "Nobody cites this."
                """);
        Requirements other = Requirements.load(directory);
        assertThat(Citations.uncited(other, Siblings.mainSources()))
                .extracting(Requirements.Requirement::id)
                .containsExactly("RFC0-1-9");
        assertThat(unknown(other)).extracting(Citations.Citation::id).containsAll(CLAUSES);
    }

    @Test
    void aClauseWithoutATestIsNoticed() {
        List<String> clauses =
                List.of("RFC0-1-8", "RFC0-1-7", "RFC0-1-6", "RFC0-1-5", "RFC0-1-4", "RFC0-1-3", "RFC0-1-2", "RFC0-1-1");
        assertThat(PLANTED.uncited(clauses)).containsExactly("RFC0-1-6", "RFC0-1-7", "RFC0-1-8");
    }

    @Test
    void aNameThatIsNoClauseIsNoticed() {
        List<String> clauses = List.of("RFC0-1-2", "RFC0-1-4", "RFC0-1-5", "RFC0-1-6", "RFC0-1-7");
        assertThat(PLANTED.unknown(clauses))
                .extracting(SpecCoverage.Citation::id, SpecCoverage.Citation::where)
                .containsExactlyInAnyOrder(
                        tuple("RFC0-1-1", Citing.OfTheClass.class.getName()),
                        tuple("RFC0-1-3", Citing.OfTheClass.class.getName() + ".ofTheMethod()"));
    }

    @Test
    void aNameWithoutATestIsNoticed() {
        assertThat(PLANTED.idle())
                .extracting(SpecCoverage.Citation::id)
                .containsExactlyInAnyOrder("RFC0-1-6", "RFC0-1-7");
    }
}
