/** MPA: startup, framing, markers and CRC (RFC 5044). */
@NullMarked
package io.jrdma.iwarp.mpa;

import org.jspecify.annotations.NullMarked;
