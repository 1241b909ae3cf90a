/**
 * iWARP on the wire: MPA (RFC 5044, RFC 6581), DDP (RFC 5041) and RDMAP (RFC 5040, RFC 7306).
 *
 * <p>A DDP segment is what one FPDU carries (its ULPDU). Classes for what is inside a DDP segment say whether {@code at} is the
 * segment's first byte or that of the header they describe. Depends on {@code io.jrdma.wire} and {@code io.jrdma.wire.crc}.
 */
@NullMarked
package io.jrdma.wire.iwarp;

import org.jspecify.annotations.NullMarked;
