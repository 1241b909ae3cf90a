package io.jrdma.tools;

import io.jrdma.verbs.Transport;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** An option that means something over one wire alone; given for another one it is wrong usage, see {@link TransportMixin#get}. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface OnlyOver {
    /** That wire. */
    Transport value();
}
