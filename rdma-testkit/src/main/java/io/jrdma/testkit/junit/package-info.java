/** The simulator in JUnit tests; for users' own tests as well. */
@NullMarked
package io.jrdma.testkit.junit;

import org.jspecify.annotations.NullMarked;
