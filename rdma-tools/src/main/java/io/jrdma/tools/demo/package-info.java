/** {@code jrdma demo}: every operation once, between two processes of this host. Stands on {@code io.jrdma.tools}. */
@NullMarked
package io.jrdma.tools.demo;

import org.jspecify.annotations.NullMarked;
