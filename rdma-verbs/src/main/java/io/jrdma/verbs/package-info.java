/**
 * The verbs API: devices, protection domains, memory regions, completion queues and queue pairs, in the words of the InfiniBand verbs,
 * over whichever transport a device was opened with.
 *
 * <p>Every object is {@link java.lang.AutoCloseable}; closing a parent closes its children. Posting and polling may be done from any
 * thread; all completions are written by the one event loop that owns the device. Programs depend on this package (and on {@code
 * io.jrdma.cm}) alone.
 */
@NullMarked
package io.jrdma.verbs;

import org.jspecify.annotations.NullMarked;
