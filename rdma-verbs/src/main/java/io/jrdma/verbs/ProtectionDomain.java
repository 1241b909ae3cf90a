package io.jrdma.verbs;

import io.jrdma.verbs.queue.QueuePairCore;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Memory regions and queue pairs that may be used together ({@code ibv_pd}). Thread-safe. Closing it destroys its queue pairs and
 * address handles, then deregisters its regions.
 */
public final class ProtectionDomain implements AutoCloseable {
    private final RdmaDevice device;
    private final int number;
    // under this object's lock, and in order of creation, so that runs repeat
    private final Set<MemoryRegion> regions = new LinkedHashSet<>();
    private final Set<AddressHandle> handles = new LinkedHashSet<>();
    private final Set<QueuePair> queuePairs = new LinkedHashSet<>();
    private boolean closed;

    ProtectionDomain(RdmaDevice device, int number) {
        this.device = device;
        this.number = number;
    }

    /** The device that it belongs to. */
    public RdmaDevice device() {
        return device;
    }

    /**
     * Registers native memory ({@code ibv_reg_mr}). The memory stays the caller's; freeing it while it is registered makes accesses fail,
     * nothing worse.
     *
     * @param memory native, of any size up to {@link DeviceAttributes#maxMrSize}; accessible from other threads unless the device is in
     *     manual mode
     * @throws VerbsException EINVAL if the memory is on the heap, empty, confined to a thread, or read-only while a right to write is asked
     *     for, or freed already; or if remote write or atomics come without local write; ENOMEM if the device has too many regions;
     *     ENODEV if the domain is closed
     */
    public MemoryRegion register(MemorySegment memory, Set<Access> rights) {
        checkOpen();
        int mask = Access.mask(rights);
        if (!memory.isNative()) {
            throw new VerbsException(Errno.EINVAL, "memory on the Java heap cannot be registered; use native memory");
        }
        checkSize(memory.byteSize());
        if (!memory.scope().isAlive()) {
            throw new VerbsException(Errno.EINVAL, "the memory's arena is closed");
        }
        int remoteWriting = Access.REMOTE_WRITE.bit() | Access.REMOTE_ATOMIC.bit();
        if ((mask & remoteWriting) != 0 && (mask & Access.LOCAL_WRITE.bit()) == 0) {
            throw new VerbsException(Errno.EINVAL, rights + " needs LOCAL_WRITE as well");
        }
        if (memory.isReadOnly() && (mask & (remoteWriting | Access.LOCAL_WRITE.bit())) != 0) {
            throw new VerbsException(Errno.EINVAL, "read-only memory cannot be registered with " + rights);
        }
        if (!device.driver().canAccess(memory)) {
            throw new VerbsException(
                    Errno.EINVAL,
                    "memory of a confined arena is out of reach of the device's loop; use a shared arena");
        }
        int key = device.memory().register(number, memory, mask);
        if (key == 0) {
            throw new VerbsException(
                    Errno.ENOMEM, "the device has " + device.attributes().maxMr() + " memory regions already");
        }
        MemoryRegion region = new MemoryRegion(this, memory, rights, key);
        boolean tooLate;
        synchronized (this) {
            tooLate = closed;
            if (!tooLate) {
                regions.add(region);
            }
        }
        if (tooLate) {
            region.close();
            checkOpen();
        }
        return region;
    }

    private void checkSize(long bytes) {
        if (bytes < 1 || bytes > device.attributes().maxMrSize()) {
            throw new VerbsException(
                    Errno.EINVAL,
                    "region of " + bytes + " bytes; allowed are 1.."
                            + device.attributes().maxMrSize());
        }
    }

    /**
     * Allocates zeroed memory in the arena, aligned to a page, and registers it.
     *
     * @throws VerbsException as {@link #register(MemorySegment, Set)}; nothing was allocated if the size is out of range; ENOMEM also if the
     *     host has not that much memory
     */
    public MemoryRegion register(Arena arena, long bytes, Set<Access> rights) {
        checkOpen();
        checkSize(bytes);
        return register(allocate(arena, bytes), rights);
    }

    private static MemorySegment allocate(Arena arena, long bytes) {
        try {
            return arena.allocate(bytes, 4096);
        } catch (OutOfMemoryError refused) {
            throw new VerbsException(Errno.ENOMEM, "no room for a region of " + bytes + " bytes", refused);
        }
    }

    /**
     * Registers a direct buffer: from 0 to its capacity, whatever its position and limit are.
     *
     * @throws VerbsException EINVAL also if the buffer is not direct
     */
    public MemoryRegion register(ByteBuffer buffer, Set<Access> rights) {
        if (!buffer.isDirect()) {
            throw new VerbsException(Errno.EINVAL, "a buffer on the Java heap cannot be registered; use a direct one");
        }
        return register(MemorySegment.ofBuffer(buffer.duplicate().clear()), rights);
    }

    /**
     * Maps a whole file and registers it; the mapping lives as long as the arena. A file that is cut short later makes accesses fail,
     * nothing worse.
     *
     * @throws IOException if the file cannot be opened or mapped
     */
    public MemoryRegion register(Path file, Arena arena, Set<Access> rights) throws IOException {
        boolean writes = rights.contains(Access.LOCAL_WRITE);
        try (FileChannel channel = writes
                ? FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)
                : FileChannel.open(file, StandardOpenOption.READ)) {
            FileChannel.MapMode mode = writes ? FileChannel.MapMode.READ_WRITE : FileChannel.MapMode.READ_ONLY;
            return register(channel.map(mode, 0, channel.size(), arena), rights);
        }
    }

    /**
     * Registers memory that something else owns. The caller vouches that all of it stays mapped until deregistration has returned; the
     * virtual machine crashes otherwise.
     *
     * @param address native address
     * @param length bytes, 64 bits
     */
    @SuppressWarnings("restricted") // the one place where a raw address becomes memory, by the caller's word
    public MemoryRegion register(long address, long length, Set<Access> rights) {
        if (address == 0 || length <= 0 || Long.compareUnsigned(address + (length - 1), address) < 0) {
            throw new VerbsException(
                    Errno.EINVAL,
                    "address 0x" + Long.toHexString(address) + " with length " + length + " is no memory");
        }
        return register(MemorySegment.ofAddress(address).reinterpret(length), rights);
    }

    /**
     * Creates a queue pair in RESET ({@code ibv_create_qp}).
     *
     * @throws VerbsException EINVAL if an option is beyond the device's limits or a completion queue is missing, closed or another
     *     device's; EOPNOTSUPP if the device has no such type; ENOMEM if there are too many queue pairs; ENODEV if the domain is closed
     */
    public QueuePair createQueuePair(QueuePairOptions options) {
        checkOpen();
        DeviceAttributes limits = device.attributes();
        CompletionQueue sends = options.sendQueue();
        CompletionQueue receives = options.receiveQueue();
        if (sends == null || receives == null || sends.device() != device || receives.device() != device) {
            throw new VerbsException(Errno.EINVAL, "a queue pair needs two completion queues of its own device");
        }
        if (!limits.qpTypes().contains(options.type())) {
            throw new VerbsException(
                    Errno.EOPNOTSUPP, "queue pair type " + options.type() + "; this device has " + limits.qpTypes());
        }
        limit("maxSendWr", options.maxSendWr(), limits.maxQpWr());
        limit("maxRecvWr", options.maxRecvWr(), limits.maxQpWr());
        limit("maxSendSge", options.maxSendSge(), limits.maxSge());
        limit("maxRecvSge", options.maxRecvSge(), limits.maxSge());
        limit("maxInlineData", options.maxInlineData(), limits.maxInlineData());
        QueuePair queuePair = newQueuePair(options, sends, receives);
        try {
            sends.attach(queuePair);
            receives.attach(queuePair);
            device.driver().call(() -> queuePair.core().attach(device.engine()));
            return queuePair;
        } catch (RuntimeException | Error failure) {
            queuePair.forgotten();
            throw failure;
        }
    }

    /**
     * Creates an address handle ({@code ibv_create_ah}).
     *
     * @throws VerbsException EOPNOTSUPP if the transport has no datagrams, EINVAL if the destination is of another address family than the
     *     device, ENETUNREACH if it cannot be reached from here, ENODEV if the domain is closed
     */
    public AddressHandle createAddressHandle(AddressVector destination) {
        checkOpen();
        int[] path = new int[1];
        device.driver().call(() -> path[0] = device.engine().openPath(destination));
        AddressHandle handle = new AddressHandle(device.context(), number, destination, path[0], this::release);
        boolean tooLate;
        synchronized (this) {
            tooLate = closed;
            if (!tooLate) {
                handles.add(handle);
            }
        }
        if (tooLate) {
            handle.close();
            checkOpen();
        }
        return handle;
    }

    private void release(AddressHandle handle) {
        synchronized (this) {
            handles.remove(handle);
        }
        try {
            device.driver().call(() -> device.engine().closePath(handle.pathId()));
        } catch (VerbsException failure) {
            if (failure.errno() != Errno.ENODEV) {
                throw failure;
            }
            // the device is closed, and all its paths with it
        }
    }

    private QueuePair newQueuePair(QueuePairOptions options, CompletionQueue sends, CompletionQueue receives) {
        int qpNum = device.reserveQpNum();
        try {
            QueuePairCore core = new QueuePairCore(
                    qpNum, number, options, sends.port(), receives.port(), device.context(), device.driver());
            QueuePair queuePair = new QueuePair(this, core, sends, receives);
            add(queuePair);
            return queuePair;
        } catch (RuntimeException | Error failure) {
            device.releaseQpNum(qpNum);
            throw failure;
        }
    }

    private synchronized void add(QueuePair queuePair) {
        checkOpen();
        queuePairs.add(queuePair);
    }

    int number() {
        return number;
    }

    synchronized void forget(QueuePair queuePair) {
        if (queuePairs.remove(queuePair)) {
            device.releaseQpNum(queuePair.qpNum());
        }
    }

    synchronized void forget(MemoryRegion region) {
        regions.remove(region);
    }

    private synchronized void checkOpen() {
        device.checkOpen();
        if (closed) {
            throw new VerbsException(Errno.ENODEV, "the protection domain is closed");
        }
    }

    private static void limit(String name, int value, int max) {
        if (value > max) {
            throw new VerbsException(Errno.EINVAL, name + " is " + value + "; this device allows 0.." + max);
        }
    }

    /** Destroys the queue pairs and address handles, then deregisters the regions. Harmless when repeated. */
    @Override
    public void close() {
        List<QueuePair> pairsLeft;
        List<MemoryRegion> regionsLeft;
        List<AddressHandle> handlesLeft;
        synchronized (this) {
            closed = true;
            pairsLeft = new ArrayList<>(queuePairs);
            regionsLeft = new ArrayList<>(regions);
            handlesLeft = new ArrayList<>(handles);
        }
        pairsLeft.forEach(QueuePair::close);
        handlesLeft.forEach(AddressHandle::close);
        regionsLeft.forEach(MemoryRegion::close);
        device.forget(this);
    }
}
