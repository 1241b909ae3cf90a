package io.jrdma.testkit.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a test's parameter that gets the seed of a simulated run: {@code long}, or a {@link io.jrdma.testkit.sim.Simulator} with that seed.
 * The seed is fixed by the test's name; {@code -Djrdma.sim.seed=...} (a number, or a commit's id in hexadecimal) replaces it, {@code
 * -Djrdma.seed.base=...} gives every test another one.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface SimSeed {}
