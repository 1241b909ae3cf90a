/** What a transport and a driver implement. */
@NullMarked
package io.jrdma.verbs.spi;

import org.jspecify.annotations.NullMarked;
