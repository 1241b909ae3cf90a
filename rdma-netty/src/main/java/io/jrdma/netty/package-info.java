/** Devices on Netty event loops: the only package that knows Netty, sockets, threads and clocks. */
@NullMarked
package io.jrdma.netty;

import org.jspecify.annotations.NullMarked;
