/**
 * Tests against the RDMA drivers of a Linux kernel, and the harness that gives them one.
 *
 * <p>{@link io.jrdma.interop.peer.PeerRig} holds a network namespace of its own and the emulated guests in it, made by the
 * scripts in {@code interop-tests/guest}. Tests get it through {@link io.jrdma.interop.peer.KernelPeer}, run commands in
 * the guest ({@link io.jrdma.interop.peer.KernelGuest}) and our side beside it in the namespace
 * ({@link io.jrdma.interop.peer.PeerNamespace}). {@code docs/INTEROP.md} says how to do the same by hand.
 */
@NullMarked
package io.jrdma.interop.peer;

import org.jspecify.annotations.NullMarked;
