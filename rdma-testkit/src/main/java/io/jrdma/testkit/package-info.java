/** The simulator and its checkers: engines under a virtual clock, one seed and chosen faults. */
@NullMarked
package io.jrdma.testkit;

import org.jspecify.annotations.NullMarked;
