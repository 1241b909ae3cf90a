/** Generators for programs of work requests and for the ways in which a stream may be cut; for jqwik, and by seed. */
@NullMarked
package io.jrdma.testkit.arb;

import org.jspecify.annotations.NullMarked;
