/**
 * The {@code jrdma} command: {@link io.jrdma.tools.Main}, what its subcommands share, and the small ones; the larger ones have packages of
 * their own below. Nothing outside them may depend on it. System properties are read and set here and nowhere further down.
 */
@NullMarked
package io.jrdma.tools;

import org.jspecify.annotations.NullMarked;
