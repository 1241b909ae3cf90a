package io.jrdma.testing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names the clauses of a standard that the annotated test shows to be kept.
 *
 * <p>Each id stands in {@code specs/requirements}; a test over all modules finds those that do not.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
@Repeatable(Satisfies.All.class)
public @interface Satisfies {

    /** Clause ids, for example {@code RFC5044-7.1.2-4}. */
    String[] value();

    /** Holds several of them. */
    @Documented
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.METHOD, ElementType.TYPE})
    @interface All {

        /** The annotations. */
        Satisfies[] value();
    }
}
