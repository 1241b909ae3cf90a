/**
 * Connection management over MPA startup frames (RFC 5044 section 7, RFC 6581): what a stream reports becomes what {@code rdma_cma.h}
 * knows. No threads, clocks or sockets: everything runs on the loop of the device that owns the streams, and reaches them through {@code
 * io.jrdma.verbs.spi} alone. Only {@code io.jrdma.cm} depends on it.
 */
@NullMarked
package io.jrdma.cm.iwarp;

import org.jspecify.annotations.NullMarked;
