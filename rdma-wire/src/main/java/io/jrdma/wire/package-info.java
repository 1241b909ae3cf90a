/** Static accessors over the bytes of packets and frames. */
@NullMarked
package io.jrdma.wire;

import org.jspecify.annotations.NullMarked;
