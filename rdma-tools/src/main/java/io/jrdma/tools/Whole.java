package io.jrdma.tools;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** What the number of an option may be; {@link Ranges} checks it for all commands. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface Whole {
    /** The smallest. */
    int min() default 0;

    /** The largest. */
    int max() default Integer.MAX_VALUE;
}
