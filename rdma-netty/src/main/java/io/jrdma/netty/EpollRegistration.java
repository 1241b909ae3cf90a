package io.jrdma.netty;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoOps;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * A registration with Netty's epoll handler that survives having nothing to wait for.
 *
 * <p>Netty 4.2.18 takes a socket out of the epoll set when no operation is left, but goes on treating it as a member: the next operation
 * fails with ENOENT. A stream comes to that after its peer's FIN, when it has read all and its own output is not blocked; the first full
 * socket afterwards would break it. Here the end of the last operation cancels the registration, and the next one makes a new one. Loop
 * only.
 */
final class EpollRegistration implements IoRegistration {
    private final IoHandler handler;
    private final IoHandle handle;
    private IoRegistration current;
    private boolean idle;
    private boolean cancelled;

    EpollRegistration(IoHandler handler, IoHandle handle) throws Exception {
        this.handler = handler;
        this.handle = handle;
        this.current = handler.register(handle);
    }

    /** Netty's scratch memory for system calls, the same for all registrations of a handler. */
    @Override
    @SuppressWarnings("TypeParameterUnusedInFormals") // Netty's contract
    public <T> T attachment() {
        return current.attachment();
    }

    @Override
    public long submit(IoOps ops) {
        if (cancelled) {
            return -1;
        }
        if (EpollIoOps.NONE.equals(ops)) {
            idle = true;
            current.cancel();
            return 0;
        }
        if (idle) {
            try {
                current = handler.register(handle);
            } catch (Exception failure) {
                throw new UncheckedIOException(new IOException("epoll", failure));
            }
            idle = false;
        }
        return current.submit(ops);
    }

    @Override
    public boolean isValid() {
        return !cancelled && (idle || current.isValid());
    }

    @Override
    public boolean cancel() {
        if (cancelled) {
            return false;
        }
        cancelled = true;
        return idle || current.cancel();
    }
}
