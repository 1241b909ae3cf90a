/** Connection management: event channels, ids, events, and the short way to a connection. */
@NullMarked
package io.jrdma.cm;

import org.jspecify.annotations.NullMarked;
