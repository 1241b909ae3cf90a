/**
 * What a transport and a driver implement, and nothing that an application needs. A <em>transport</em> is a protocol engine without
 * I/O, clock or threads; a <em>driver</em> hosts it on sockets and an event loop, or on the simulator's virtual network. May change
 * between releases.
 */
@NullMarked
package io.jrdma.verbs.spi;

import org.jspecify.annotations.NullMarked;
