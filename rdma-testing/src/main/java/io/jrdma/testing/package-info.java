/** Shared pieces of the tests of every module. */
@NullMarked
package io.jrdma.testing;

import org.jspecify.annotations.NullMarked;
