/** The iWARP engine: one TCP stream as bytes in and bytes out. */
@NullMarked
package io.jrdma.iwarp;

import org.jspecify.annotations.NullMarked;
