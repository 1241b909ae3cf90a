package io.jrdma.interop.arch;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import io.jrdma.cm.ib.fixture.CmOverIb;
import io.jrdma.cm.iwarp.fixture.CmOverIwarp;
import io.jrdma.cm.iwarp.fixture.ConnectionEngineBreaches;
import io.jrdma.cm.iwarp.fixture.LawfulConnectionEngine;
import io.jrdma.ib.fixture.Ib;
import io.jrdma.interop.arch.fixture.TestBreaches;
import io.jrdma.iwarp.fixture.Iwarp;
import io.jrdma.netty.fixture.NettyDriver;
import io.jrdma.perf.fixture.Perf;
import io.jrdma.testkit.fixture.Testkit;
import io.jrdma.tools.fixture.Tools;
import io.jrdma.verbs.fixture.Verbs;
import io.jrdma.wire.fixture.EngineBreaches;
import io.jrdma.wire.fixture.LawfulEngine;
import io.jrdma.wire.fixture.Wire;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every rule of {@link Floors}, {@link EngineRules} and {@link TestRules} holds in the modules, and every rule is shown to
 * notice a breach.
 */
class ArchitectureTest {

    private static final JavaClasses MAIN = Siblings.mainClasses();

    private static final JavaClasses TESTS = Siblings.testClasses().that(resideOutsideOfPackage("..fixture.."));

    private static final JavaClasses LAWFUL =
            new ClassFileImporter().importClasses(LawfulEngine.class, LawfulConnectionEngine.class);

    private static final JavaClasses OFFENDERS = new ClassFileImporter()
            .importClasses(breaches().map(arguments -> arguments.get()[1]).toArray(Class<?>[]::new));

    static Stream<Arguments> rules() throws IllegalAccessException {
        return Stream.concat(rulesOf(Floors.class), rulesOf(EngineRules.class));
    }

    static Stream<Arguments> testRules() throws IllegalAccessException {
        return rulesOf(TestRules.class);
    }

    private static Stream<Arguments> rulesOf(Class<?> holder) throws IllegalAccessException {
        List<Arguments> rules = new ArrayList<>();
        for (Field field : holder.getDeclaredFields()) {
            if (ArchRule.class.isAssignableFrom(field.getType())) {
                rules.add(argumentSet(field.getName(), field.get(null)));
            }
        }
        return rules.stream();
    }

    /** A rule, and a class of the test tree that breaks it. */
    static Stream<Arguments> breaches() {
        return Stream.of(
                breach(Floors.WIRE_STANDS_ALONE, Wire.class),
                breach(Floors.VERBS_STANDS_ALONE, Verbs.class),
                breach(Floors.IB_KNOWS_WIRE_AND_VERBS, Ib.class),
                breach(Floors.IWARP_KNOWS_WIRE_AND_VERBS, Iwarp.class),
                breach(Floors.CM_KNOWS_WIRE_AND_VERBS, CmOverIwarp.KnowsTransport.class),
                breach(Floors.TESTKIT_KNOWS_NO_ENGINE, Testkit.class),
                breach(Floors.NETTY_KNOWS_THE_FLOORS_BELOW, NettyDriver.class),
                breach(Floors.CM_OVER_IWARP_KNOWS_NO_IB, CmOverIwarp.class),
                breach(Floors.CM_OVER_IB_KNOWS_NO_IWARP, CmOverIb.class),
                breach(Floors.PERF_KNOWS_NO_COMMAND, Perf.class),
                breach(Floors.TOOLS_KNOW_NO_NEIGHBOUR, Tools.class),
                breach(EngineRules.NO_CLOCK_CLASSES, EngineBreaches.HoldsClock.class),
                breach(EngineRules.NO_CLOCK_READINGS, EngineBreaches.ReadsNanoTime.class),
                breach(EngineRules.NO_CLOCK_READINGS, EngineBreaches.ReadsMillis.class),
                breach(EngineRules.NO_CLOCK_READINGS, EngineBreaches.ReadsInstant.class),
                breach(EngineRules.NO_CLOCK_READINGS, EngineBreaches.ReadsInstantByReference.class),
                breach(EngineRules.NO_THREADS, EngineBreaches.StartsThread.class),
                breach(EngineRules.NO_THREADS, EngineBreaches.UsesExecutor.class),
                breach(EngineRules.NO_THREADS, EngineBreaches.UsesLock.class),
                breach(EngineRules.NO_THREADS, EngineBreaches.UsesAtomic.class),
                breach(EngineRules.NO_SYNCHRONIZED_METHODS, EngineBreaches.SynchronizedMethod.class),
                breach(EngineRules.NO_SYNCHRONIZED_BLOCKS, EngineBreaches.SynchronizedBlock.class),
                breach(EngineRules.NO_VOLATILE_FIELDS, EngineBreaches.VolatileField.class),
                breach(EngineRules.NO_SOCKETS, EngineBreaches.OpensSocket.class),
                breach(EngineRules.NO_SOCKETS, EngineBreaches.OpensChannel.class),
                breach(EngineRules.NO_SOCKETS, EngineBreaches.NamesAddress.class),
                breach(
                        EngineRules.NO_SOCKETS_BUT_ADDRESSES_IN_ADDRESSED_ENGINES,
                        ConnectionEngineBreaches.OpensSocket.class),
                breach(
                        EngineRules.NO_SOCKETS_BUT_ADDRESSES_IN_ADDRESSED_ENGINES,
                        ConnectionEngineBreaches.OpensChannel.class),
                breach(EngineRules.NO_NAME_LOOKUPS, ConnectionEngineBreaches.LooksNameUp.class),
                breach(EngineRules.NO_NAME_LOOKUPS, ConnectionEngineBreaches.LooksNameUpInConstructor.class),
                breach(EngineRules.NO_RANDOMNESS_OF_THEIR_OWN, EngineBreaches.UnseededRandom.class),
                breach(EngineRules.NO_RANDOMNESS_OF_THEIR_OWN, EngineBreaches.MathRandom.class),
                breach(EngineRules.NO_RANDOMNESS_OF_THEIR_OWN, EngineBreaches.ThreadLocalRandomness.class),
                breach(EngineRules.NO_RANDOMNESS_OF_THEIR_OWN, EngineBreaches.SecureRandomness.class),
                breach(EngineRules.NO_RANDOMNESS_OF_THEIR_OWN, EngineBreaches.RandomUuid.class),
                breach(
                        EngineRules.ONLY_THE_NETTY_MODULE_AND_WHAT_STANDS_ON_IT_KNOW_NETTY,
                        EngineBreaches.KnowsNetty.class),
                breach(EngineRules.LIBRARIES_READ_NO_SYSTEM_PROPERTIES, EngineBreaches.ReadsProperty.class),
                breach(EngineRules.LIBRARIES_READ_NO_SYSTEM_PROPERTIES, EngineBreaches.ReadsIntegerProperty.class),
                breach(TestRules.TEST_CLASSES_ARE_FOUND, TestBreaches.NotFound.class),
                breach(TestRules.TEST_CLASSES_ARE_FOUND, TestBreaches.PropertyNotFound.class),
                breach(TestRules.NO_CLASS_IS_DISABLED, TestBreaches.DisabledClass.class),
                breach(TestRules.NO_TEST_IS_DISABLED, TestBreaches.DisabledTests.class),
                breach(TestRules.NO_TEST_SLEEPS, TestBreaches.Sleeps.class));
    }

    private static Arguments breach(ArchRule rule, Class<?> offender) {
        return argumentSet(offender.getSimpleName() + ": " + rule.getDescription(), rule, offender);
    }

    @ParameterizedTest
    @MethodSource("rules")
    void ruleHoldsInEveryModule(ArchRule rule) {
        rule.check(MAIN);
    }

    @ParameterizedTest
    @MethodSource("testRules")
    void testRuleHoldsInEveryModule(ArchRule rule) {
        rule.check(TESTS);
    }

    @ParameterizedTest
    @MethodSource("breaches")
    void ruleNoticesItsBreach(ArchRule rule, Class<?> offender) {
        JavaClasses classes = OFFENDERS.that(equivalentTo(offender));
        List<String> violations = rule.evaluate(classes).getFailureReport().getDetails();
        assertThat(violations).isNotEmpty().allSatisfy(text -> assertThat(text).contains(offender.getName()));
    }

    @Test
    void everyRuleHasABreachThatItNotices() throws IllegalAccessException {
        List<Object> shown = breaches().map(arguments -> arguments.get()[0]).toList();
        assertThat(Stream.concat(rules(), testRules())
                        .map(arguments -> arguments.get()[0]))
                .isNotEmpty()
                .isSubsetOf(shown);
    }

    @ParameterizedTest
    @MethodSource("rules")
    void ruleLetsLawfulEnginesPass(ArchRule rule) {
        rule.check(LAWFUL);
    }

    @Test
    void testsOfThisAndOtherModulesAreImported() {
        assertThat(TESTS.contain(ArchitectureTest.class)).isTrue();
        assertThat(TESTS.containPackage("io.jrdma.wire")).isTrue();
    }

    @Test
    void everyModuleIsImported() {
        for (String name : List.of("wire", "verbs", "iwarp", "cm", "netty", "testkit", "testing", "tools", "perf")) {
            assertThat(MAIN.containPackage("io.jrdma." + name))
                    .as("classes of io.jrdma.%s", name)
                    .isTrue();
        }
    }
}
