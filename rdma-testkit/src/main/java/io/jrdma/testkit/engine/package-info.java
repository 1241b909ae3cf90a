/**
 * One transport's engine on its own, without a network: a device and a driver of which the test is the loop, the clock and the application.
 * For those who write a transport; whole devices talk to each other in {@link io.jrdma.testkit.sim}.
 */
@NullMarked
package io.jrdma.testkit.engine;

import org.jspecify.annotations.NullMarked;
