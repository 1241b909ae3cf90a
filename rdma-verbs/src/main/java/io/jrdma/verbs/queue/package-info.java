/**
 * Work and completion rings, and the half of a queue pair that every transport shares: written once, used by all transports. Applications
 * use {@link io.jrdma.verbs.QueuePair} and {@link io.jrdma.verbs.CompletionQueue}.
 */
@NullMarked
package io.jrdma.verbs.queue;

import org.jspecify.annotations.NullMarked;
