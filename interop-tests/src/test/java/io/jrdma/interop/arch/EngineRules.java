package io.jrdma.interop.arch;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaModifier.SYNCHRONIZED;
import static com.tngtech.archunit.core.domain.JavaModifier.VOLATILE;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.MonitorInstruction;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.Predicate;

/** What a protocol engine may not know: clocks, threads, sockets, randomness of its own, the settings of the process. */
final class EngineRules {

    /** The engines, and what they read and write; the API packages {@code verbs} and {@code cm} may name addresses and block. */
    private static final String[] ENGINES = {
        "io.jrdma.wire..", "io.jrdma.ib..", "io.jrdma.iwarp..", "io.jrdma.cm.ib..", "io.jrdma.cm.iwarp.."
    };

    /** Connection management, and the engine with the management queue pair: their contracts name addresses. */
    private static final String[] ADDRESSED_ENGINES = {"io.jrdma.cm.ib..", "io.jrdma.cm.iwarp..", "io.jrdma.ib.."};

    private static final Set<String> ADDRESSES = Set.of(
            "java.net.InetAddress", "java.net.Inet4Address", "java.net.Inet6Address", "java.net.InetSocketAddress");

    private static final Set<String> CLOCKS =
            Set.of("java.time.Clock", "java.time.InstantSource", "java.util.Timer", "java.util.Calendar");

    private static final Set<String> THREADS = Set.of(
            "java.lang.Thread", "java.lang.ThreadGroup", "java.lang.ThreadLocal", "java.lang.InheritableThreadLocal");

    private static final Set<String> PROPERTY_READERS = Set.of(
            "java.lang.System.getProperty",
            "java.lang.System.getProperties",
            "java.lang.System.getenv",
            "java.lang.Integer.getInteger",
            "java.lang.Long.getLong",
            "java.lang.Boolean.getBoolean");

    static final ArchRule NO_CLOCK_CLASSES = noClasses()
            .that()
            .resideInAnyPackage(ENGINES)
            .should()
            .dependOnClassesThat(describe("are clocks", (JavaClass c) -> CLOCKS.contains(c.getName())))
            .allowEmptyShould(true);

    static final ArchRule NO_CLOCK_READINGS = engines(
            "read a clock",
            target -> is(target, "java.lang.System", "nanoTime", "currentTimeMillis")
                    || target.getOwner().getPackageName().equals("java.time")
                            && target.getName().equals("now")
                    || target.getFullName().equals("java.util.Date.<init>()"));

    static final ArchRule NO_THREADS = noClasses()
            .that()
            .resideInAnyPackage(ENGINES)
            .should()
            .dependOnClassesThat(describe(
                    "are threads, executors, locks or atomics",
                    (JavaClass c) -> THREADS.contains(c.getName())
                            || c.getPackageName().startsWith("java.util.concurrent")
                                    && !c.getName().equals("java.util.concurrent.ThreadLocalRandom")))
            .allowEmptyShould(true);

    static final ArchRule NO_SYNCHRONIZED_METHODS = noMethods()
            .that()
            .areDeclaredInClassesThat()
            .resideInAnyPackage(ENGINES)
            .should()
            .haveModifier(SYNCHRONIZED)
            .allowEmptyShould(true);

    static final ArchRule NO_SYNCHRONIZED_BLOCKS = noClasses()
            .that()
            .resideInAnyPackage(ENGINES)
            .should(enterAMonitor())
            .allowEmptyShould(true);

    static final ArchRule NO_VOLATILE_FIELDS = noFields()
            .that()
            .areDeclaredInClassesThat()
            .resideInAnyPackage(ENGINES)
            .should()
            .haveModifier(VOLATILE)
            .allowEmptyShould(true);

    static final ArchRule NO_SOCKETS = noClasses()
            .that()
            .resideInAnyPackage(ENGINES)
            .and()
            .resideOutsideOfPackages(ADDRESSED_ENGINES)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.net..", "java.nio.channels..", "java.nio.file..", "javax.net..")
            .allowEmptyShould(true);

    static final ArchRule NO_SOCKETS_BUT_ADDRESSES_IN_ADDRESSED_ENGINES = noClasses()
            .that()
            .resideInAnyPackage(ADDRESSED_ENGINES)
            .should()
            .dependOnClassesThat(describe(
                    "are sockets, channels or files",
                    (JavaClass c) -> c.getPackageName().startsWith("java.nio.channels")
                            || c.getPackageName().startsWith("java.nio.file")
                            || c.getPackageName().startsWith("java.net")
                                    && !ADDRESSES.contains(
                                            c.getBaseComponentType().getName())))
            .allowEmptyShould(true);

    static final ArchRule NO_NAME_LOOKUPS = engines(
            "look up a host name",
            target -> is(target, "java.net.InetAddress", "getByName", "getAllByName", "getLocalHost", "getHostName")
                    || target.getFullName().equals("java.net.InetSocketAddress.<init>(java.lang.String, int)")
                    || is(target, "java.net.InetSocketAddress", "getHostName"));

    static final ArchRule NO_RANDOMNESS_OF_THEIR_OWN = engines(
            "draw a random number that was not handed in",
            target -> target.getFullName().equals("java.util.Random.<init>()")
                    || target.getFullName().equals("java.util.SplittableRandom.<init>()")
                    || target.getFullName().equals("java.util.Collections.shuffle(java.util.List)")
                    || is(target, "java.lang.Math", "random")
                    || is(target, "java.lang.StrictMath", "random")
                    || is(target, "java.util.UUID", "randomUUID")
                    || is(target, "java.util.random.RandomGenerator", "getDefault")
                    || Set.of("java.security.SecureRandom", "java.util.concurrent.ThreadLocalRandom")
                            .contains(target.getOwner().getName()));

    static final ArchRule ONLY_THE_NETTY_MODULE_AND_WHAT_STANDS_ON_IT_KNOW_NETTY = noClasses()
            .that()
            .resideInAPackage("io.jrdma..")
            .and()
            .resideOutsideOfPackages(
                    "io.jrdma.netty..", "io.jrdma.tools..", "io.jrdma.disni..", "io.jrdma.perf..", "io.jrdma.interop..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.netty..")
            .allowEmptyShould(true);

    /** The command and the drop-in read settings of the process and hand them to the libraries; test pieces are no library. */
    static final ArchRule LIBRARIES_READ_NO_SYSTEM_PROPERTIES = noClasses()
            .that()
            .resideInAPackage("io.jrdma..")
            .and()
            .resideOutsideOfPackages(
                    "io.jrdma.testing..",
                    "io.jrdma.tools..",
                    "io.jrdma.disni..",
                    "io.jrdma.perf..",
                    "io.jrdma.interop..")
            .should(callAny(
                    "read a system property",
                    target -> PROPERTY_READERS.contains(target.getOwner().getName() + "." + target.getName())))
            .allowEmptyShould(true);

    private EngineRules() {}

    private static ArchRule engines(String what, Predicate<CodeUnitAccessTarget> banned) {
        return noClasses()
                .that()
                .resideInAnyPackage(ENGINES)
                .should(callAny(what, banned))
                .allowEmptyShould(true);
    }

    private static boolean is(CodeUnitAccessTarget target, String owner, String... names) {
        return target.getOwner().getName().equals(owner) && Set.of(names).contains(target.getName());
    }

    /** Calls and method references: {@code Instant::now} reads a clock as well. */
    private static ArchCondition<JavaClass> callAny(String what, Predicate<CodeUnitAccessTarget> banned) {
        return new ArchCondition<>(what) {
            @Override
            public void check(JavaClass item, ConditionEvents events) {
                for (JavaCodeUnitAccess<?> access : item.getCodeUnitAccessesFromSelf()) {
                    if (banned.test(access.getTarget())) {
                        events.add(SimpleConditionEvent.satisfied(item, access.getDescription()));
                    }
                }
            }
        };
    }

    /** ArchUnit sees declarations and calls, so the instructions are read here. */
    private static ArchCondition<JavaClass> enterAMonitor() {
        return new ArchCondition<>("have synchronized blocks") {
            @Override
            public void check(JavaClass item, ConditionEvents events) {
                for (MethodModel method : parse(item).methods()) {
                    boolean enters = method.code().stream()
                            .flatMap(code -> code.elementStream())
                            .anyMatch(element -> element instanceof MonitorInstruction);
                    if (enters) {
                        String where =
                                item.getName() + "." + method.methodName().stringValue();
                        events.add(SimpleConditionEvent.satisfied(item, where + " has a synchronized block"));
                    }
                }
            }
        };
    }

    private static ClassModel parse(JavaClass item) {
        Path file = Path.of(item.getSource().orElseThrow().getUri());
        try {
            return ClassFile.of().parse(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
