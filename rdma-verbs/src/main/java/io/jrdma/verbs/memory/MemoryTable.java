package io.jrdma.verbs.memory;

import io.jrdma.verbs.Access;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The registered memory of one device: key to region, and the only way in which a transport reads or writes a region. Every access is
 * checked for key, protection domain, rights and bounds, in unsigned 64-bit arithmetic, and memory that was freed in the meantime is a
 * fault, never a crash.
 *
 * <p>Look-ups take no lock and may run while other threads register. Keys look random over 32 bits (RFC 5042 section 6.1.1 wants them
 * hard to guess), are never 0, and come again only after 2^32 others; local and remote key of a region are the same.
 */
public final class MemoryTable {
    private static final int INITIAL_BUCKETS = 64;

    private static final class Region {
        final int key;
        final int protectionDomain;
        final int rights;
        final long base;
        final long length;
        final MemorySegment memory;
        final boolean mapped;
        volatile boolean valid = true;

        /** Waits for a {@link #readWhilePosting} that is under way. */
        synchronized void revoke() {
            valid = false;
        }

        Region(int key, int protectionDomain, int rights, MemorySegment memory) {
            this.key = key;
            this.protectionDomain = protectionDomain;
            this.rights = rights;
            this.base = memory.address();
            this.length = memory.byteSize();
            this.memory = memory;
            this.mapped = memory.isMapped();
        }
    }

    /** A link of a bucket's chain; never changed, so that look-ups need no lock. */
    private record Link(Region region, @Nullable Link next) {}

    private final KeySequence keys;
    private final int maxRegions;
    private volatile AtomicReferenceArray<@Nullable Link> buckets = new AtomicReferenceArray<>(INITIAL_BUCKETS);
    private int size;

    /**
     * An empty table.
     *
     * @param seed decides the keys
     * @param maxRegions regions that it takes
     */
    public MemoryTable(long seed, int maxRegions) {
        this.keys = new KeySequence(seed);
        this.maxRegions = maxRegions;
    }

    /**
     * Registers native memory.
     *
     * @param rights mask of {@link io.jrdma.verbs.Access} bits
     * @return the key, or 0 if the table is full
     */
    public synchronized int register(int protectionDomain, MemorySegment memory, int rights) {
        if (size == maxRegions) {
            return 0;
        }
        int key;
        do {
            key = keys.next();
        } while (key == 0 || find(key) != null);
        if (size >= buckets.length()) {
            grow();
        }
        int bucket = bucket(key, buckets.length());
        buckets.set(bucket, new Link(new Region(key, protectionDomain, rights, memory), buckets.get(bucket)));
        size++;
        return key;
    }

    /** Takes a region out; accesses that are under way in this moment may still finish, see {@link io.jrdma.verbs.spi.LoopGuard}. */
    public synchronized void deregister(int key) {
        int bucket = bucket(key, buckets.length());
        Link kept = null;
        boolean found = false;
        for (Link link = buckets.get(bucket); link != null; link = link.next) {
            if (link.region.key == key) {
                link.region.revoke();
                found = true;
            } else {
                kept = new Link(link.region, kept);
            }
        }
        if (found) {
            buckets.set(bucket, kept);
            size--;
        }
    }

    /**
     * Makes a key unusable until it is deregistered, on behalf of the application that registered it; harmless when it is unusable
     * already.
     */
    public AccessFault invalidate(int key, int protectionDomain) {
        return invalidate(key, protectionDomain, 0);
    }

    /** As {@link #invalidate}, on behalf of a peer: the region must grant {@link Access#REMOTE_INVALIDATE}. */
    public AccessFault invalidateForPeer(int key, int protectionDomain) {
        return invalidate(key, protectionDomain, Access.REMOTE_INVALIDATE.bit());
    }

    private synchronized AccessFault invalidate(int key, int protectionDomain, int rights) {
        Region region = find(key);
        if (region == null) {
            return AccessFault.INVALID_KEY;
        }
        if (region.protectionDomain != protectionDomain) {
            return AccessFault.WRONG_PROTECTION_DOMAIN;
        }
        if ((region.rights & rights) != rights) {
            return AccessFault.NO_RIGHTS;
        }
        region.revoke();
        return AccessFault.NONE;
    }

    /** Regions in the table, invalidated ones included. */
    public synchronized int size() {
        return size;
    }

    /**
     * Whether that access would be allowed.
     *
     * @param rights mask that the region must grant; 0 for a local read
     * @param length bytes, 0 or more
     */
    public AccessFault check(int key, int protectionDomain, int rights, long address, long length) {
        Region region = find(key);
        return region == null ? AccessFault.INVALID_KEY : check(region, protectionDomain, rights, address, length);
    }

    /**
     * Copies into a region.
     *
     * @param rights mask that the region must grant
     * @param length bytes, 0 or more
     * @return what stood in the way; then nothing was written, but for {@link AccessFault#MEMORY_GONE}, when a part may have been
     */
    public AccessFault write(
            int key,
            int protectionDomain,
            int rights,
            long address,
            MemorySegment source,
            long sourceOffset,
            long length) {
        Region region = find(key);
        if (region == null) {
            return AccessFault.INVALID_KEY;
        }
        AccessFault fault = check(region, protectionDomain, rights, address, length);
        return fault != AccessFault.NONE
                ? fault
                : GuardedCopy.copy(
                        source,
                        sourceOffset,
                        region.memory,
                        address - region.base,
                        length,
                        region.mapped || source.isMapped());
    }

    /** Copies out of a region; as {@link #write}. */
    public AccessFault read(
            int key,
            int protectionDomain,
            int rights,
            long address,
            MemorySegment target,
            long targetOffset,
            long length) {
        Region region = find(key);
        if (region == null) {
            return AccessFault.INVALID_KEY;
        }
        AccessFault fault = check(region, protectionDomain, rights, address, length);
        return fault != AccessFault.NONE
                ? fault
                : GuardedCopy.copy(
                        region.memory,
                        address - region.base,
                        target,
                        targetOffset,
                        length,
                        region.mapped || target.isMapped());
    }

    /**
     * Adds to the 8 bytes at an address, as one number in the host's order of bytes, in one step that neither another device nor the
     * application can come between. The region must grant {@link Access#REMOTE_ATOMIC}.
     *
     * @param address a multiple of 8
     * @param original gets what stood there before, in its first element
     */
    public AccessFault fetchAndAdd(int key, int protectionDomain, long address, long addend, long[] original) {
        Region region = find(key);
        AccessFault fault = region == null
                ? AccessFault.INVALID_KEY
                : check(region, protectionDomain, Access.REMOTE_ATOMIC.bit(), address, Long.BYTES);
        return region == null || fault != AccessFault.NONE
                ? fault
                : GuardedCopy.fetchAndAdd(region.memory, address - region.base, addend, original, region.mapped);
    }

    /** As {@link #fetchAndAdd}: puts {@code swap} there if {@code compare} stands there. */
    public AccessFault compareAndSwap(
            int key, int protectionDomain, long address, long compare, long swap, long[] original) {
        Region region = find(key);
        AccessFault fault = region == null
                ? AccessFault.INVALID_KEY
                : check(region, protectionDomain, Access.REMOTE_ATOMIC.bit(), address, Long.BYTES);
        return region == null || fault != AccessFault.NONE
                ? fault
                : GuardedCopy.compareAndSwap(
                        region.memory, address - region.base, compare, swap, original, region.mapped);
    }

    /**
     * {@link #read} for a thread other than the loop's, whose bursts a deregistration does not wait for: it waits for this call instead.
     * Local reads only.
     */
    public AccessFault readWhilePosting(
            int key, int protectionDomain, long address, MemorySegment target, long targetOffset, long length) {
        Region region = find(key);
        if (region == null) {
            return AccessFault.INVALID_KEY;
        }
        synchronized (region) {
            AccessFault fault = check(region, protectionDomain, 0, address, length);
            return fault != AccessFault.NONE
                    ? fault
                    : GuardedCopy.copy(
                            region.memory, address - region.base, target, targetOffset, length, region.mapped);
        }
    }

    private static AccessFault check(Region region, int protectionDomain, int rights, long address, long length) {
        if (!region.valid) {
            return AccessFault.INVALID_KEY;
        }
        if (region.protectionDomain != protectionDomain) {
            return AccessFault.WRONG_PROTECTION_DOMAIN;
        }
        if ((region.rights & rights) != rights) {
            return AccessFault.NO_RIGHTS;
        }
        // the last byte, not the end, because a range may end exactly at 2^64
        if (length != 0 && Long.compareUnsigned(address + (length - 1), address) < 0) {
            return AccessFault.ADDRESS_WRAP;
        }
        long offset = address - region.base;
        if (Long.compareUnsigned(offset, region.length) > 0
                || Long.compareUnsigned(length, region.length - offset) > 0) {
            return AccessFault.OUT_OF_BOUNDS;
        }
        return AccessFault.NONE;
    }

    private @Nullable Region find(int key) {
        AtomicReferenceArray<@Nullable Link> table = buckets;
        Link link = table.get(bucket(key, table.length()));
        while (link != null && link.region.key != key) {
            link = link.next;
        }
        return link == null ? null : link.region;
    }

    private void grow() {
        AtomicReferenceArray<@Nullable Link> old = buckets;
        AtomicReferenceArray<@Nullable Link> larger = new AtomicReferenceArray<>(2 * old.length());
        for (int i = 0; i < old.length(); i++) {
            for (Link link = old.get(i); link != null; link = link.next) {
                int bucket = bucket(link.region.key, larger.length());
                larger.set(bucket, new Link(link.region, larger.get(bucket)));
            }
        }
        buckets = larger;
    }

    private static int bucket(int key, int buckets) {
        return (key ^ key >>> 16) & (buckets - 1);
    }
}
