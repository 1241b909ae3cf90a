package io.jrdma.testkit.junit;

import io.jrdma.testkit.sim.SeedText;
import io.jrdma.testkit.sim.Simulator;
import io.jrdma.verbs.spi.Seeds;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * Gives tests their seed, see {@link SimSeed}, and names it when they fail. Use it with {@code @ExtendWith(SimSeedExtension.class)}.
 */
public final class SimSeedExtension implements ParameterResolver, TestWatcher {
    /** The JUnit configuration parameter or system property that replaces the seed. */
    public static final String PROPERTY = "jrdma.sim.seed";

    /** The same for the number from which, with their names, the seeds of all tests are derived; 0 without it. */
    public static final String BASE = "jrdma.seed.base";

    private static final Namespace NAMESPACE = Namespace.create(SimSeedExtension.class);

    /** For JUnit. */
    public SimSeedExtension() {}

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return parameter.isAnnotated(SimSeed.class) && (type == long.class || type == Simulator.class);
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        long seed = seed(context);
        context.getStore(NAMESPACE).put(PROPERTY, seed);
        return parameter.getParameter().getType() == long.class ? seed : new Simulator(seed);
    }

    private static long seed(ExtensionContext context) {
        return context.getConfigurationParameter(PROPERTY)
                .map(SeedText::parse)
                .orElseGet(() -> Seeds.child(
                        context.getConfigurationParameter(BASE)
                                .map(SeedText::parse)
                                .orElse(0L),
                        context.getRequiredTestClass().getName() + "." + context.getDisplayName()));
    }

    @Override
    public void testFailed(ExtensionContext context, Throwable cause) {
        Long seed = context.getStore(NAMESPACE).get(PROPERTY, Long.class);
        if (seed != null) {
            String line = replay(context, seed);
            System.err.println(line);
            context.publishReportEntry("replay", line);
        }
    }

    /** The line that replays a test. */
    static String replay(ExtensionContext context, long seed) {
        return "replay: mvn test -Dtest=" + context.getRequiredTestClass().getSimpleName() + "#"
                + context.getRequiredTestMethod().getName() + " -D" + PROPERTY + "=" + seed;
    }
}
