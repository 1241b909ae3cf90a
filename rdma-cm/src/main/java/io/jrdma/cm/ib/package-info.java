/**
 * Connection management over management datagrams (IBTA volume 1, chapter 12, and annexes A11 and A17): REQ, REP and RTU bring a connection
 * up, DREQ and DREP end it, SIDR finds a datagram queue pair. No threads, clocks or sockets: everything runs on the loop of the device, and
 * reaches peers through {@code io.jrdma.verbs.spi.ManagementPort} alone. Only {@code io.jrdma.cm} depends on it.
 */
@NullMarked
package io.jrdma.cm.ib;

import org.jspecify.annotations.NullMarked;
