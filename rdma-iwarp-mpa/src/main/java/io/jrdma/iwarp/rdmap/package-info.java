/** RDMAP: operations and Terminate (RFC 5040). */
@NullMarked
package io.jrdma.iwarp.rdmap;

import org.jspecify.annotations.NullMarked;
