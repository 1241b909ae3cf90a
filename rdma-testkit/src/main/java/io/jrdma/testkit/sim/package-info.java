/**
 * The simulator: virtual time, one seed, hosts and the streams between them. Knows the contracts for transports and drivers, and no
 * transport.
 */
@NullMarked
package io.jrdma.testkit.sim;

import org.jspecify.annotations.NullMarked;
