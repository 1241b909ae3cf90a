package io.jrdma.interop.arch;

import static com.tngtech.archunit.core.domain.JavaModifier.ABSTRACT;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Set;

/** How tests are written. */
final class TestRules {

    private static final Set<String> MARKS = Set.of(
            "org.junit.jupiter.api.Test",
            "org.junit.jupiter.api.TestFactory",
            "org.junit.jupiter.api.RepeatedTest",
            "org.junit.jupiter.params.ParameterizedTest",
            "net.jqwik.api.Property",
            "net.jqwik.api.Example");

    /** Surefire finds test classes by name, and says nothing of those that it does not find. */
    static final ArchRule TEST_CLASSES_ARE_FOUND = classes()
            .that()
            .doNotHaveModifier(ABSTRACT)
            .and(DescribedPredicate.describe("have tests", TestRules::hasTests))
            .should()
            .haveNameMatching(".*(Test|Properties|Conformance)(\\$.*)?");

    static final ArchRule NO_CLASS_IS_DISABLED = noClasses()
            .should()
            .beAnnotatedWith("org.junit.jupiter.api.Disabled")
            .orShould()
            .beAnnotatedWith("net.jqwik.api.Disabled");

    static final ArchRule NO_TEST_IS_DISABLED = noMethods()
            .should()
            .beAnnotatedWith("org.junit.jupiter.api.Disabled")
            .orShould()
            .beAnnotatedWith("net.jqwik.api.Disabled");

    /** A test waits for a condition with a bound, or turns a virtual clock. */
    static final ArchRule NO_TEST_SLEEPS = noClasses()
            .should()
            .callMethod(Thread.class, "sleep", long.class)
            .orShould()
            .callMethod(Thread.class, "sleep", java.time.Duration.class)
            .orShould()
            .callMethod(java.util.concurrent.TimeUnit.class, "sleep", long.class);

    private TestRules() {}

    static boolean hasTests(JavaClass item) {
        return item.getMethods().stream().anyMatch(TestRules::isTest);
    }

    static boolean isTest(JavaMethod method) {
        return method.getAnnotations().stream()
                .anyMatch(annotation -> MARKS.contains(annotation.getRawType().getName()));
    }
}
