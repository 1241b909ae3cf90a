package io.jrdma.testing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Names the clauses of a standard that the annotated test shows to be kept. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface Satisfies {

    /** Clause ids, for example {@code RFC5044-7.1.2-4}. */
    String[] value();
}
