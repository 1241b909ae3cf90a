package io.jrdma.verbs;

import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * Registered memory ({@code ibv_mr}). Thread-safe. Local and remote key are the same number; both are given to peers at the caller's
 * discretion.
 */
public final class MemoryRegion implements AutoCloseable {
    private final ProtectionDomain domain;
    private final MemorySegment memory;
    private final Set<Access> rights;
    private final int key;
    private boolean closed;

    MemoryRegion(ProtectionDomain domain, MemorySegment memory, Set<Access> rights, int key) {
        this.domain = domain;
        this.memory = memory;
        this.rights = Access.ofMask(Access.mask(rights));
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
     * fails with the status for a bad key. Harmless when repeated, with the same promise.
     */
    @Override
    public void close() {
        synchronized (this) {
            if (!closed) {
                closed = true;
                domain.device().memory().deregister(key);
            }
        }
        domain.device().awaitEndOfBurst(); // outside the lock: the loop itself may be the other one that closes
        domain.forget(this);
    }

    @Override
    public String toString() {
        return "MemoryRegion[address=0x" + Long.toHexString(address()) + ", length=" + length() + ", key=0x"
                + Integer.toHexString(key) + ", " + rights + "]";
    }
}
