/**
 * Devices on Netty event loops: the only package that knows Netty, sockets, threads and clocks.
 *
 * <p>{@link io.jrdma.netty.NettyDriverProvider} opens a {@code NettyDriver} for each device. A driver is one {@code DriverLoop} and the
 * ports that stand on it: {@code TcpStreams} hosts the engines of transports on streams, {@code UdpPort} the engine of a device on
 * datagrams, with a {@code UdpSocket} behind it: {@code BatchSocket} or {@code PortableSocket}. What hosts an engine is {@code Hosted}: the
 * loop knows of it only when it wants to be called, and knows nothing of TCP or UDP.
 */
@NullMarked
package io.jrdma.netty;

import org.jspecify.annotations.NullMarked;
