/** The RoCEv2 engine: all queue pairs of a device as one protocol machine, packets in and packets out. */
@NullMarked
package io.jrdma.ib;

import org.jspecify.annotations.NullMarked;
