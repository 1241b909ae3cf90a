/** Work and completion rings, used by every transport. */
@NullMarked
package io.jrdma.verbs.queue;

import org.jspecify.annotations.NullMarked;
