/**
 * What ids know of the connection management of a wire: one connection, its events, one listening address. {@code io.jrdma.cm.iwarp} and
 * {@code io.jrdma.cm.ib} implement it, {@code io.jrdma.cm} uses it, and nobody else depends on it.
 */
@NullMarked
package io.jrdma.cm.transport;

import org.jspecify.annotations.NullMarked;
