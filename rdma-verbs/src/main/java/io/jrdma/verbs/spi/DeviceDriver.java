package io.jrdma.verbs.spi;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.VerbsException;
import java.lang.foreign.MemorySegment;

/**
 * Hosts one device's engine on one loop: hands it bytes, calls it at its deadlines, sends what it wants to send. Methods may be called
 * from any thread unless they say otherwise.
 */
public interface DeviceDriver extends AutoCloseable {
    /** Begins hosting; called once, before anything else. */
    void start(DeviceEngine engine, LoopGuard guard);

    /**
     * Runs the task on the loop, never inside this call, in the order of calls. What a task throws is reported and harms nothing else. A
     * closed driver drops the task. No allocation in the steady state.
     */
    void execute(Runnable task);

    /**
     * Runs the task on the loop and returns when it has run: at once if the caller is on the loop. What it throws is thrown here.
     *
     * @throws io.jrdma.verbs.VerbsException ENODEV if the driver is closed
     */
    void call(Runnable task);

    /** Whether the caller is on the loop's thread. */
    boolean inLoop();

    /** The loop's time in nanoseconds, arbitrary origin, never decreasing. */
    long nowNs();

    /** Whether the caller of {@link #progress} has to make progress (manual mode); false if a thread of the driver's own does. */
    boolean isManual();

    /**
     * Manual mode: runs the loop until something was done or the time is over; from the owner's thread only. Automatic mode: returns false
     * at once.
     *
     * @param timeoutNs 0 only looks, {@code Long.MAX_VALUE} waits for ever
     * @return whether anything was done
     */
    boolean progress(long timeoutNs);

    /** Whether the loop may touch that memory: not if it is confined to another thread. */
    boolean canAccess(MemorySegment memory);

    /** MTU of the network interface in bytes. */
    int interfaceMtu();

    /** Whether the network interface is up; a driver that has none says yes. */
    default boolean isInterfaceUp() {
        return true;
    }

    /** Number for {@link DeviceContext#seed}; drawn when the driver was opened. */
    long seed();

    /** Opens and accepts streams. Loop thread only; throws EOPNOTSUPP for a transport on datagrams. */
    StreamConnector streams();

    /** The device's management queue pair. Loop thread only; throws EOPNOTSUPP for a transport on streams. */
    default ManagementPort management() {
        throw new VerbsException(Errno.EOPNOTSUPP, "this device's transport has no management datagrams");
    }

    /** Whether {@link #close} may be called here: not in the middle of a loop that would have to end first. */
    default boolean canClose() {
        return true;
    }

    /** Ends all streams and the loop; returns when it has ended. Called only where {@link #canClose} holds. */
    @Override
    void close();
}
