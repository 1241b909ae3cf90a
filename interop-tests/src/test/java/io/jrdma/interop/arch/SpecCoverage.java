package io.jrdma.interop.arch;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.properties.HasAnnotations;
import com.tngtech.archunit.core.domain.properties.HasName;
import io.jrdma.testing.Satisfies;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Which clauses of the standards the tests in some classes say that they show, by {@link Satisfies}. */
final class SpecCoverage {

    /**
     * A clause that a class or method names.
     *
     * @param id the clause's id
     * @param where the class or method
     * @param byTest whether that is a test, or a class with tests
     */
    record Citation(String id, String where, boolean byTest) {}

    private final List<Citation> citations;

    SpecCoverage(JavaClasses classes) {
        citations = classes.stream().flatMap(SpecCoverage::citations).toList();
    }

    private static Stream<Citation> citations(JavaClass item) {
        Stream<Citation> ofClass = citations(item, TestRules.hasTests(item));
        Stream<Citation> ofMethods =
                item.getMethods().stream().flatMap((JavaMethod method) -> citations(method, TestRules.isTest(method)));
        return Stream.concat(ofClass, ofMethods);
    }

    private static <T extends HasAnnotations<?> & HasName.AndFullName> Stream<Citation> citations(
            T item, boolean isTest) {
        Stream<Satisfies> once = item.tryGetAnnotationOfType(Satisfies.class).stream();
        Stream<Satisfies> repeated =
                item.tryGetAnnotationOfType(Satisfies.All.class).stream().flatMap(all -> Stream.of(all.value()));
        return Stream.concat(once, repeated)
                .flatMap(satisfies -> Stream.of(satisfies.value()))
                .map(id -> new Citation(id, item.getFullName(), isTest));
    }

    List<Citation> citations() {
        return citations;
    }

    /** The clauses that no test names, in the order of their ids. */
    Set<String> uncited(Collection<String> clauses) {
        Set<String> cited =
                citations.stream().filter(Citation::byTest).map(Citation::id).collect(Collectors.toSet());
        Set<String> missing = new TreeSet<>(clauses);
        missing.removeAll(cited);
        return missing;
    }

    /** Citations of what is no clause. */
    List<Citation> unknown(Collection<String> clauses) {
        return citations.stream()
                .filter(citation -> !clauses.contains(citation.id()))
                .toList();
    }

    /** Citations where no test is. */
    List<Citation> idle() {
        return citations.stream().filter(citation -> !citation.byTest()).toList();
    }
}
