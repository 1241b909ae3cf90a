package io.jrdma.testing;

import java.util.SplittableRandom;
import net.jqwik.api.lifecycle.AroundPropertyHook;
import net.jqwik.api.lifecycle.PropagationMode;
import net.jqwik.api.lifecycle.PropertyExecutionResult;
import net.jqwik.api.lifecycle.PropertyExecutor;
import net.jqwik.api.lifecycle.PropertyLifecycleContext;

/**
 * Gives every jqwik property that names no seed one that its class and name fix, so that a build tries the same samples each time;
 * {@code -Djrdma.seed.base=N} (64 bits, decimal) chooses others. jqwik finds it as a service in every module whose tests have this one on
 * their class path.
 */
public final class PropertySeeds implements AroundPropertyHook {
    /** The system property with the number from which all seeds of tests are derived; 0 without it. */
    public static final String BASE = "jrdma.seed.base";

    /** For jqwik. */
    public PropertySeeds() {}

    @Override
    public PropagationMode propagateTo() {
        return PropagationMode.ALL_DESCENDANTS;
    }

    @Override
    public PropertyExecutionResult aroundProperty(PropertyLifecycleContext context, PropertyExecutor property) {
        if (context.attributes().seed().isEmpty()) {
            String name = context.containerClass().getName() + "."
                    + context.targetMethod().getName();
            context.attributes().setSeed(Long.toString(seed(Long.getLong(BASE, 0), name)));
        }
        return property.execute();
    }

    /** The seed of a property of that name. */
    static long seed(long base, String name) {
        return new SplittableRandom(new SplittableRandom(base).nextLong() ^ name.hashCode()).nextLong();
    }
}
