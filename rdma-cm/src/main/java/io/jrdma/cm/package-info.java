/**
 * Connection management, in two forms. The long one follows librdmacm: {@link io.jrdma.cm.RdmaEventChannel}, {@link
 * io.jrdma.cm.RdmaCmId}, {@link io.jrdma.cm.RdmaCmEvent}. The short one hides it: {@link io.jrdma.cm.RdmaServer}, {@link
 * io.jrdma.cm.RdmaClient}, {@link io.jrdma.cm.RdmaConnection}.
 *
 * <p>Every connection call is asynchronous: it returns at once, its result is an event, and no event is handed to the application inside a
 * call. A queue pair, an id or a device may be destroyed while a call is under way, from any thread.
 */
@NullMarked
package io.jrdma.cm;

import org.jspecify.annotations.NullMarked;
