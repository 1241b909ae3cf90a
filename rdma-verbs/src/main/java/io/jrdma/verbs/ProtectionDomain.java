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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Memory regions and queue pairs that may be used together ({@code ibv_pd}). Thread-safe. Closing it destroys its queue pairs, then
 * deregisters its regions.
 */
public final class ProtectionDomain implements AutoCloseable {
    private final RdmaDevice device;
    private final int number;
    private final Set<MemoryRegion> regions = ConcurrentHashMap.newKeySet();
    private final Set<QueuePair> queuePairs = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

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
     *     for; or if remote write or atomics come without local write; ENOMEM if the device has too many regions
     */
    public MemoryRegion register(MemorySegment memory, Set<Access> rights) {
        checkOpen();
        int mask = Access.mask(rights);
        if (!memory.isNative()) {
            throw new VerbsException(Errno.EINVAL, "memory on the Java heap cannot be registered; use native memory");
        }
        if (memory.byteSize() == 0 || memory.byteSize() > device.attributes().maxMrSize()) {
            throw new VerbsException(
                    Errno.EINVAL,
                    "region of " + memory.byteSize() + " bytes; allowed are 1.."
                            + device.attributes().maxMrSize());
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
        regions.add(region);
        return region;
    }

    /** Allocates zeroed memory in the arena, aligned to a page, and registers it. */
    public MemoryRegion register(Arena arena, long bytes, Set<Access> rights) {
        return register(arena.allocate(bytes, 4096), rights);
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
     * Maps a whole file and registers it; the mapping lives as long as the arena.
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
        if (address == 0 || length <= 0 || Long.compareUnsigned(address + length, address) < 0) {
            throw new VerbsException(
                    Errno.EINVAL,
                    "address 0x" + Long.toHexString(address) + " with length " + length + " is no memory");
        }
        return register(MemorySegment.ofAddress(address).reinterpret(length), rights);
    }

    /**
     * Creates a queue pair in RESET ({@code ibv_create_qp}).
     *
     * @throws VerbsException EINVAL if an option is beyond the device's limits or a completion queue is missing or another device's; ENOMEM
     *     if there are too many queue pairs
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
        QueuePairCore core = new QueuePairCore(
                device.nextQpNum(), number, options, sends.port(), receives.port(), device.context(), device.driver());
        QueuePair queuePair = new QueuePair(this, core, sends, receives);
        device.driver().call(() -> core.attach(device.engine()));
        queuePairs.add(queuePair);
        sends.attach(queuePair);
        receives.attach(queuePair);
        return queuePair;
    }

    int number() {
        return number;
    }

    void forget(QueuePair queuePair) {
        queuePairs.remove(queuePair);
    }

    void forget(MemoryRegion region) {
        regions.remove(region);
    }

    private void checkOpen() {
        device.checkOpen();
        if (closed) {
            throw new VerbsException(Errno.EINVAL, "the protection domain is closed");
        }
    }

    private static void limit(String name, int value, int max) {
        if (value > max) {
            throw new VerbsException(Errno.EINVAL, name + " is " + value + "; this device allows 0.." + max);
        }
    }

    /** Destroys the queue pairs, then deregisters the regions. Harmless when repeated. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        new ArrayList<>(queuePairs).forEach(QueuePair::close);
        new ArrayList<>(regions).forEach(MemoryRegion::close);
        device.forget(this);
    }
}
