/** Connection management over MPA startup frames. */
@NullMarked
package io.jrdma.cm.iwarp;

import org.jspecify.annotations.NullMarked;
