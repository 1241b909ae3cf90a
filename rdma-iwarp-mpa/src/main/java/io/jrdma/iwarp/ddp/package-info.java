/** DDP: segmentation and direct placement (RFC 5041). */
@NullMarked
package io.jrdma.iwarp.ddp;

import org.jspecify.annotations.NullMarked;
