/**
 * Management datagrams of InfiniBand communication management, which set up and end connections (IBTA volume 1, chapters 12 and 13.4), and
 * what the RDMA IP CM service puts into them (annex A11).
 *
 * <p>The control plane: messages are immutable records. {@link io.jrdma.wire.cm.CmMad} is a message with its header; decoding it from any
 * bytes gives the message or a {@link io.jrdma.wire.cm.CmMalformed}, never an exception. Constructors check the range of each field and
 * throw {@link IllegalArgumentException}: a fault of the caller. Timeouts are exponents, see {@link io.jrdma.wire.ib.AckTimeout}. Depends on
 * {@code io.jrdma.wire} and {@code io.jrdma.wire.ib}.
 */
@NullMarked
package io.jrdma.wire.cm;

import org.jspecify.annotations.NullMarked;
