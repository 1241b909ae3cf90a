package io.jrdma.netty;

import io.jrdma.verbs.spi.Engine;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.AbstractScheduledEventExecutor;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Netty's view of a {@link DriverLoop}: an event loop whose thread is whoever is inside. Netty's own manual loop belongs to one thread for
 * ever and has no place for work at the end of a turn; this one is run by {@link DriverLoop} and does only what Netty's channels need of
 * it: registering, tasks, scheduled tasks, and waiting for I/O.
 */
final class IoLoop extends AbstractScheduledEventExecutor implements IoEventLoop {
    private final TaskQueue tasks = new TaskQueue();
    private final AtomicReference<@Nullable Thread> inside = new AtomicReference<>();
    private final Promise<Void> terminated = new DefaultPromise<>(GlobalEventExecutor.INSTANCE);
    private final IoBackend backend;
    private final IoHandler handler;
    private final WaitContext context;
    private boolean initialized;
    private volatile boolean destroyed;

    /**
     * A loop that nobody is inside.
     *
     * @param hasWork whether a turn has something to do without waiting
     * @param earliestNs the earliest deadline of the driver's, as {@link System#nanoTime}
     */
    IoLoop(IoBackend backend, BooleanSupplier hasWork, LongSupplier earliestNs) {
        this.context = new WaitContext(hasWork, earliestNs);
        this.backend = backend;
        this.handler = backend.handlers().newHandler(this);
    }

    TaskQueue tasks() {
        return tasks;
    }

    // ---- who is inside ----

    boolean tryEnter() {
        return inside.compareAndSet(null, Thread.currentThread());
    }

    /** For the one thread that stays. */
    void enter() {
        inside.set(Thread.currentThread());
    }

    void leave() {
        inside.set(null);
    }

    boolean isFree() {
        return inside.get() == null;
    }

    @Override
    public boolean inEventLoop(Thread thread) {
        return inside.get() == thread;
    }

    // ---- for the one who is inside ----

    /**
     * Handles I/O.
     *
     * @param waitNs how long to wait for it; 0 only looks, {@code Long.MAX_VALUE} waits for ever
     * @return whether there was any
     */
    boolean run(long waitNs) {
        initialize();
        context.waitFor(waitNs);
        return handler.run(context) > 0;
    }

    private void initialize() {
        if (!initialized) {
            initialized = true;
            handler.initialize();
        }
    }

    /** Queues the scheduled tasks that are due and says whether there were any. */
    boolean runScheduled() {
        boolean any = false;
        if (nextScheduledTaskDeadlineNanos() >= 0) {
            Runnable due;
            while ((due = pollScheduledTask(ticker().nanoTime())) != null) {
                any = true;
                due.run();
            }
        }
        return any;
    }

    /** Closes every channel that is still registered; tasks that belong to it are queued. */
    void closeChannels() {
        initialize();
        handler.prepareToDestroy();
    }

    /** Frees what the handler holds of the system. */
    void destroy() {
        cancelScheduledTasks();
        handler.destroy();
        destroyed = true;
        terminated.setSuccess(null);
    }

    // ---- any thread ----

    void wakeup() {
        handler.wakeup();
    }

    @Override
    public void execute(Runnable task) {
        if (tasks.add(task) && !inEventLoop()) {
            handler.wakeup();
        }
    }

    // ---- the rest of Netty's contract ----

    @Override
    public IoEventLoop next() {
        return this;
    }

    @Override
    public @Nullable EventLoopGroup parent() {
        return null;
    }

    @Override
    public Future<IoRegistration> register(IoHandle handle) {
        Promise<IoRegistration> promise = newPromise();
        if (inEventLoop()) {
            register(handle, promise);
        } else {
            execute(() -> register(handle, promise));
        }
        return promise;
    }

    private void register(IoHandle handle, Promise<IoRegistration> promise) {
        try {
            initialize();
            promise.setSuccess(backend.register(handler, handle));
        } catch (Exception failure) {
            promise.setFailure(failure);
        }
    }

    /** Registers a channel; done when the call returns if the caller is inside. */
    ChannelFuture attach(Channel channel) {
        ChannelPromise promise = new DefaultChannelPromise(channel, this);
        channel.unsafe().register(this, promise);
        return promise;
    }

    @Override
    @Deprecated
    public ChannelFuture register(Channel channel) {
        return attach(channel);
    }

    @Override
    @Deprecated
    public ChannelFuture register(ChannelPromise promise) {
        promise.channel().unsafe().register(this, promise);
        return promise;
    }

    @Override
    @Deprecated
    public ChannelFuture register(Channel channel, ChannelPromise promise) {
        channel.unsafe().register(this, promise);
        return promise;
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return handler.isCompatible(handleType);
    }

    @Override
    public boolean isIoType(Class<? extends IoHandler> handlerType) {
        return handler.getClass() == handlerType;
    }

    @Override
    public boolean isShuttingDown() {
        return destroyed;
    }

    @Override
    public boolean isShutdown() {
        return destroyed;
    }

    @Override
    public boolean isTerminated() {
        return destroyed;
    }

    @Override
    public Future<?> terminationFuture() {
        return terminated;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return terminated.await(timeout, unit);
    }

    /** Only the driver ends its loop. */
    @Override
    public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
        throw new UnsupportedOperationException("the driver ends its loop");
    }

    /** Only the driver ends its loop. */
    @Override
    @Deprecated
    public void shutdown() {
        throw new UnsupportedOperationException("the driver ends its loop");
    }

    /** Tells Netty's handler whether and how long it may wait. */
    private final class WaitContext implements IoHandlerContext {
        private static final long NONE = -1;
        private static final long FOR_EVER_NS = Long.MAX_VALUE / 4;

        private final BooleanSupplier hasWork;
        private final LongSupplier earliestNs;
        private boolean mayWait;
        private long endNs;

        WaitContext(BooleanSupplier hasWork, LongSupplier earliestNs) {
            this.hasWork = hasWork;
            this.earliestNs = earliestNs;
        }

        void waitFor(long waitNs) {
            mayWait = waitNs > 0;
            if (mayWait) {
                // so far ahead, differences of times would overflow
                endNs = waitNs > FOR_EVER_NS ? Engine.NO_DEADLINE : System.nanoTime() + waitNs;
            }
        }

        @Override
        public boolean canBlock() {
            return mayWait && !hasWork.getAsBoolean();
        }

        /** The earliest of the caller's patience, the driver's deadlines and Netty's, as {@link System#nanoTime}. */
        private long wakeNs() {
            long wakeNs = Engine.earlier(endNs, earliestNs.getAsLong());
            long scheduled = nextScheduledTaskDeadlineNanos();
            return scheduled < 0 ? wakeNs : Engine.earlier(wakeNs, scheduled + ticker().initialNanoTime());
        }

        @Override
        public long delayNanos(long currentTimeNanos) {
            long wakeNs = wakeNs();
            return wakeNs == Engine.NO_DEADLINE ? Long.MAX_VALUE : Math.max(0, wakeNs - currentTimeNanos);
        }

        @Override
        public long deadlineNanos() {
            long wakeNs = wakeNs();
            // Netty's times begin with its first use
            return wakeNs == Engine.NO_DEADLINE ? NONE : wakeNs - ticker().initialNanoTime();
        }
    }
}
