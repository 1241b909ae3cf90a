package io.jrdma.verbs;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** Unmodifiable sets of enums in the order of declaration. */
final class EnumSets {
    private EnumSets() {}

    static <E extends Enum<E>> Set<E> copy(Class<E> type, Collection<E> elements) {
        EnumSet<E> set = EnumSet.noneOf(type);
        set.addAll(elements);
        return Collections.unmodifiableSet(set);
    }
}
