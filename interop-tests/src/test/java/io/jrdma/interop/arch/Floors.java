package io.jrdma.interop.arch;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.lang.ArchRule;
import java.util.ArrayList;
import java.util.List;

/** The arrows between the packages: a floor uses lower floors only, and nothing foreign that the floor has no use for. */
final class Floors {

    private static final String WIRE = "io.jrdma.wire..";
    private static final String VERBS = "io.jrdma.verbs..";
    private static final String IB = "io.jrdma.ib..";
    private static final String IWARP = "io.jrdma.iwarp..";
    private static final String CM = "io.jrdma.cm..";
    private static final String NETTY = "io.jrdma.netty..";
    private static final String TESTKIT = "io.jrdma.testkit..";

    static final ArchRule WIRE_STANDS_ALONE = only(WIRE);
    static final ArchRule VERBS_STANDS_ALONE = only(VERBS);
    static final ArchRule IB_KNOWS_WIRE_AND_VERBS = only(IB, WIRE, VERBS);
    static final ArchRule IWARP_KNOWS_WIRE_AND_VERBS = only(IWARP, WIRE, VERBS);
    static final ArchRule CM_KNOWS_WIRE_AND_VERBS = only(CM, WIRE, VERBS);
    static final ArchRule TESTKIT_KNOWS_NO_ENGINE =
            only(TESTKIT, WIRE, VERBS, "org.junit..", "org.opentest4j..", "net.jqwik..");
    static final ArchRule NETTY_KNOWS_THE_FLOORS_BELOW =
            only(NETTY, WIRE, VERBS, IB, IWARP, CM, "io.netty..", "org.slf4j..", "io.micrometer..", "jdk.net..");

    static final ArchRule CM_OVER_IWARP_KNOWS_NO_IB = noClasses()
            .that()
            .resideInAPackage("io.jrdma.cm.iwarp..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.jrdma.cm.ib..", "io.jrdma.wire.ib..", "io.jrdma.wire.cm..")
            .allowEmptyShould(true);

    static final ArchRule CM_OVER_IB_KNOWS_NO_IWARP = noClasses()
            .that()
            .resideInAPackage("io.jrdma.cm.ib..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.jrdma.cm.iwarp..", "io.jrdma.wire.iwarp..")
            .allowEmptyShould(true);

    /** What stands on top stands beside its neighbours: {@code perf} starts the command as a process. */
    static final ArchRule PERF_KNOWS_NO_COMMAND = noClasses()
            .that()
            .resideInAPackage("io.jrdma.perf..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.jrdma.tools..", "io.jrdma.interop..")
            .allowEmptyShould(true);

    static final ArchRule TOOLS_KNOW_NO_NEIGHBOUR = noClasses()
            .that()
            .resideInAPackage("io.jrdma.tools..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.jrdma.perf..", "io.jrdma.interop..", "io.jrdma.disni..", "com.ibm.disni..")
            .allowEmptyShould(true);

    private Floors() {}

    private static ArchRule only(String of, String... others) {
        List<String> allowed = new ArrayList<>(List.of(others));
        allowed.add(of);
        allowed.add("java..");
        allowed.add("org.jspecify..");
        return classes()
                .that()
                .resideInAPackage(of)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(allowed.toArray(String[]::new))
                .allowEmptyShould(true);
    }
}
