/** Checksums over memory segments. Depends on the JDK alone. */
@NullMarked
package io.jrdma.wire.crc;

import org.jspecify.annotations.NullMarked;
