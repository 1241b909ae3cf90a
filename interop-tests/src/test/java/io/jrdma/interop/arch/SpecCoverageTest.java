package io.jrdma.interop.arch;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.jrdma.interop.arch.fixture.Citing;
import io.jrdma.testing.Requirements;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Every clause of {@code specs/requirements} has a test in some module that names it. */
class SpecCoverageTest {

    private static final Set<String> CLAUSES = Requirements.load().byId().keySet();

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
