/**
 * Bytes on the wire, for every protocol that jrdma speaks.
 *
 * <p>The access contract: a header class is a set of static accessors over {@code (MemorySegment segment, long at)}. It keeps no
 * state, allocates nothing and has one order of use: a {@code check} method looks at received bytes once and returns 0 or a
 * {@link io.jrdma.wire.Malformed} code; after 0 no accessor can fail for those bytes, and accessors therefore check nothing.
 * Senders use {@code put} methods, which write every byte of the header, reserved ones included, and {@code assert} the range of
 * each field. {@code View} records serve tests, logs and the control plane, never the data path.
 *
 * <p>Unsigned 32-bit quantities that are only compared or copied (STag, MSN, CRC) are {@code int}; those one computes with
 * (message offset, read size) are {@code long}. This package depends on nothing but the JDK; everything may depend on it.
 */
@NullMarked
package io.jrdma.wire;

import org.jspecify.annotations.NullMarked;
