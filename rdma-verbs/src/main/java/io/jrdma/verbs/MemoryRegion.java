package io.jrdma.verbs;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Registered memory ({@code ibv_mr}). Thread-safe. Local and remote key are the same number; both are given to peers at the caller's
 * discretion.
 */
public final class MemoryRegion implements AutoCloseable {
    private final ProtectionDomain domain;
    private final MemorySegment memory;
    private final Set<Access> rights;
    private final int key;
    private final AtomicBoolean closed = new AtomicBoolean();

    MemoryRegion(ProtectionDomain domain, MemorySegment memory, Set<Access> rights, int key) {
        this.domain = domain;
        this.memory = memory;
        this.rights = Set.copyOf(rights);
        this.key = key;
    }

    /** The domain that it belongs to. */
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    /** The memory itself. */
    public MemorySegment segment() {
        return memory;
    }

    /** Native address of the first byte: what peers add an offset to. */
    public long address() {
        return memory.address();
    }

    /** Bytes. */
    public long length() {
        return memory.byteSize();
    }

    /** What may be done with it. */
    public Set<Access> rights() {
        return rights;
    }

    /** For scatter/gather elements ({@code lkey}). */
    public int localKey() {
        return key;
    }

    /** For the peer ({@code rkey}; iWARP: STag). */
    public int remoteKey() {
        return key;
    }

    /**
     * Deregisters ({@code ibv_dereg_mr}). When it returns, no byte of the memory will be read or written any more; work in flight on it
     * fails with the status for a bad key. Harmless when repeated.
     */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            domain.device().memory().deregister(key);
            domain.device().awaitEndOfBurst();
            domain.forget(this);
        }
    }

    @Override
    public String toString() {
        return "MemoryRegion[address=0x" + Long.toHexString(address()) + ", length=" + length() + ", key=0x"
                + Integer.toHexString(key) + ", " + rights + "]";
    }
}
