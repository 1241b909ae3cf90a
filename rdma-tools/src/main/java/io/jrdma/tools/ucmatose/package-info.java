/** {@code jrdma ucmatose}: the C tool's messages, order and output. Stands on {@code io.jrdma.tools}. */
@NullMarked
package io.jrdma.tools.ucmatose;

import org.jspecify.annotations.NullMarked;
