/** {@code jrdma rc-pingpong}: the exchange and the output of rdma-core's {@code ibv_rc_pingpong}. Stands on {@code io.jrdma.tools}. */
@NullMarked
package io.jrdma.tools.pingpong;

import org.jspecify.annotations.NullMarked;
