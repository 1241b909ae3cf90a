/** MPA, DDP and RDMAP headers. */
@NullMarked
package io.jrdma.wire.iwarp;

import org.jspecify.annotations.NullMarked;
