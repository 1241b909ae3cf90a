/** Checksums over memory segments. */
@NullMarked
package io.jrdma.wire.crc;

import org.jspecify.annotations.NullMarked;
