/** {@code jrdma rping}: the C tool's messages, order and output. Stands on {@code io.jrdma.tools}. */
@NullMarked
package io.jrdma.tools.rping;

import org.jspecify.annotations.NullMarked;
