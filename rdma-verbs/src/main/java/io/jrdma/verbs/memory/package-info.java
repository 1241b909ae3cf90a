/** Keys, access checks and the one guarded copy to and from registered memory. */
@NullMarked
package io.jrdma.verbs.memory;

import org.jspecify.annotations.NullMarked;
