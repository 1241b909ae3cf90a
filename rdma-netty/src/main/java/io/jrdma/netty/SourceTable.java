package io.jrdma.netty;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.VerbsException;
import io.jrdma.wire.ib.IcrcPath;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The peers of a port: small numbers for addresses. An id that is held, because {@linkplain PathTable paths} lead there, stays; of the
 * others the table keeps {@link #MAX_UNHELD}, and the one that was heard of longest ago makes room, so that senders nobody knows cost a
 * bounded amount of memory. Nothing is allocated for a sender that is in the table. Loop only.
 *
 * <p>An address is two longs, high and low, and the interface of a link-local one; an IPv4 address is the low 32 bits of the low one.
 */
final class SourceTable {
    static final int MAX_UNHELD = 1024;

    private static final int NONE = -1;
    private static final ValueLayout.OfShort SHORT_BE =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT_BE = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG_BE = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final short AF_INET = 2;
    private static final short AF_INET6 = 10;
    /** Bytes of a {@code sockaddr_in6}, the longer one. */
    static final int SOCKADDR_BYTES = 28;

    private static final int SOCKADDR_IN_BYTES = 16;

    private final boolean ipv6;
    private final int peerPort;
    /** Not known to senders, who choose their addresses. */
    private final long hashSeed;

    private final byte[] localAddress;
    private final int localPort;
    private final UdpCounters counters;

    private Source[] sources = new Source[64];
    private int size;
    private int firstFree = NONE;
    private int[] buckets = new int[256];
    /** Those that nobody holds, the one heard of longest ago first. */
    private int oldest = NONE;

    private int newest = NONE;
    private int unheld;

    /** Ports that a sender who is not held is remembered with. */
    private static final int FEW_PORTS = 4;
    /** Ports that one who is held is remembered with: foreign stacks take one for each queue pair. */
    private static final int MANY_PORTS = 256;

    /** One peer. */
    private static final class Source {
        private long high;
        private long low;
        private int scope;
        private int holds;
        private int older = NONE;
        private int newer = NONE;
        private boolean used;
        private @Nullable IcrcPath outgoing;
        /** By sender's port, modulo their number, which is a power of two. */
        private @Nullable IcrcPath[] incoming = new IcrcPath[1];

        private int[] incomingPorts = new int[1];
        private @Nullable InetAddress address;
        private @Nullable InetSocketAddress destination;
    }

    /**
     * A table without peers.
     *
     * @param localAddress the port's own address, whose family all peers share
     * @param localPort where packets come in
     * @param peerPort where they go to
     * @param hashSeed any number that senders do not know
     */
    SourceTable(InetAddress localAddress, int localPort, int peerPort, long hashSeed, UdpCounters counters) {
        this.ipv6 = localAddress instanceof Inet6Address;
        this.localAddress = localAddress.getAddress();
        this.localPort = localPort;
        this.peerPort = peerPort;
        this.hashSeed = hashSeed;
        this.counters = counters;
        Arrays.fill(buckets, NONE);
    }

    // ---- addresses as numbers ----

    static long high(InetAddress address) {
        return address instanceof Inet6Address six
                ? ByteBuffer.wrap(six.getAddress()).getLong()
                : 0;
    }

    static long low(InetAddress address) {
        byte[] bytes = address.getAddress();
        return address instanceof Inet6Address
                ? ByteBuffer.wrap(bytes).getLong(Long.BYTES)
                : Integer.toUnsignedLong(ByteBuffer.wrap(bytes).getInt());
    }

    static int scope(InetAddress address) {
        return address instanceof Inet6Address six && six.isLinkLocalAddress() ? six.getScopeId() : 0;
    }

    private static InetAddress address(boolean ipv6, long high, long low, int scope) {
        try {
            if (!ipv6) {
                return InetAddress.getByAddress(
                        ByteBuffer.allocate(Integer.BYTES).putInt((int) low).array());
            }
            byte[] bytes = ByteBuffer.allocate(2 * Long.BYTES)
                    .putLong(high)
                    .putLong(low)
                    .array();
            return Inet6Address.getByAddress(null, bytes, scope == 0 ? -1 : scope);
        } catch (UnknownHostException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    // ---- ids ----

    /** The id of a sender: the one it has, or else one that is made now and may be taken away again. */
    int heardFrom(long high, long low, int scope) {
        int id = find(high, low, scope);
        if (id == NONE) {
            id = add(high, low, scope);
            append(id);
        } else if (sources[id].holds == 0 && id != newest) {
            unlink(id);
            append(id);
        }
        return id;
    }

    /** {@link #heardFrom}, of a socket address as the system writes it; -1 if it is none of this family. */
    int heardFrom(MemorySegment sockaddr, long at) {
        short family = sockaddr.get(ValueLayout.JAVA_SHORT_UNALIGNED, at);
        if (ipv6) {
            if (family != AF_INET6) {
                return NONE;
            }
            long high = sockaddr.get(LONG_BE, at + 8);
            // fe80::/10, and nothing else, means little without its interface
            int scope = high >>> 54 == 0x3FA ? sockaddr.get(ValueLayout.JAVA_INT_UNALIGNED, at + 24) : 0;
            return heardFrom(high, sockaddr.get(LONG_BE, at + 16), scope);
        }
        return family == AF_INET ? heardFrom(0, Integer.toUnsignedLong(sockaddr.get(INT_BE, at + 4)), 0) : NONE;
    }

    /** The port in a socket address. */
    static int port(MemorySegment sockaddr, long at) {
        return Short.toUnsignedInt(sockaddr.get(SHORT_BE, at + 2));
    }

    /** Whether that address has an id. */
    boolean knows(InetAddress address) {
        return find(high(address), low(address), scope(address)) != NONE;
    }

    /** The id of an address, which stays until it is {@linkplain #release released} as often as held. */
    int hold(InetAddress address) {
        long high = high(address);
        long low = low(address);
        int scope = scope(address);
        int id = find(high, low, scope);
        if (id == NONE) {
            id = add(high, low, scope);
        } else if (sources[id].holds == 0) {
            unlink(id);
        }
        sources[id].holds++;
        return id;
    }

    /** Takes back one {@link #hold}. */
    void release(int id) {
        if (--sources[id].holds == 0) {
            append(id);
            if (unheld > MAX_UNHELD) {
                int free = evict();
                sources[free].newer = firstFree;
                firstFree = free;
            }
        }
    }

    /** How many peers are known. */
    int known() {
        int count = 0;
        for (int id = 0; id < size; id++) {
            count += sources[id].used ? 1 : 0;
        }
        return count;
    }

    // ---- what is known of a peer ----

    /** Throws EINVAL if there is no such peer. */
    InetAddress address(int id) {
        if (id < 0 || id >= size || !sources[id].used) {
            throw new VerbsException(Errno.EINVAL, "there is no source " + id);
        }
        Source source = sources[id];
        InetAddress address = source.address;
        if (address == null) {
            address = address(ipv6, source.high, source.low, source.scope);
            source.address = address;
        }
        return address;
    }

    /** Where packets go. */
    InetSocketAddress destination(int id) {
        Source source = sources[id];
        InetSocketAddress destination = source.destination;
        if (destination == null) {
            destination = new InetSocketAddress(address(id), peerPort);
            source.destination = destination;
        }
        return destination;
    }

    /** What the ICRC of packets that go there covers. */
    IcrcPath outgoing(int id) {
        Source source = sources[id];
        IcrcPath icrc = source.outgoing;
        if (icrc == null) {
            icrc = IcrcPath.of(localAddress, localPort, address(id).getAddress(), peerPort);
            source.outgoing = icrc;
        }
        return icrc;
    }

    /** What the ICRC of packets that come from there covers. */
    IcrcPath incoming(int id, int port) {
        Source source = sources[id];
        int slot = port & (source.incoming.length - 1);
        IcrcPath icrc = source.incoming[slot];
        return icrc != null && source.incomingPorts[slot] == port ? icrc : addIncoming(source, id, port);
    }

    private IcrcPath addIncoming(Source source, int id, int port) {
        int limit = source.holds == 0 ? FEW_PORTS : MANY_PORTS;
        while (source.incoming[port & (source.incoming.length - 1)] != null && source.incoming.length < limit) {
            @Nullable IcrcPath[] old = source.incoming;
            int[] oldPorts = source.incomingPorts;
            source.incoming = new IcrcPath[2 * old.length];
            source.incomingPorts = new int[2 * old.length];
            for (int i = 0; i < old.length; i++) {
                if (old[i] != null) {
                    int slot = oldPorts[i] & (source.incoming.length - 1);
                    source.incoming[slot] = old[i];
                    source.incomingPorts[slot] = oldPorts[i];
                }
            }
        }
        IcrcPath icrc = IcrcPath.of(address(id).getAddress(), port, localAddress, localPort);
        int slot = port & (source.incoming.length - 1);
        source.incoming[slot] = icrc;
        source.incomingPorts[slot] = port;
        return icrc;
    }

    /**
     * Writes where packets go as the system wants it.
     *
     * @return bytes written
     */
    int putSockaddr(int id, MemorySegment to, long at) {
        Source source = sources[id];
        return putSockaddr(ipv6, source.high, source.low, source.scope, peerPort, to, at);
    }

    /** An address as the system wants it. */
    static int putSockaddr(InetSocketAddress end, MemorySegment to, long at) {
        InetAddress address = end.getAddress();
        return putSockaddr(
                address instanceof Inet6Address, high(address), low(address), scope(address), end.getPort(), to, at);
    }

    private static int putSockaddr(boolean ipv6, long high, long low, int scope, int port, MemorySegment to, long at) {
        to.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, ipv6 ? AF_INET6 : AF_INET);
        to.set(SHORT_BE, at + 2, (short) port);
        if (ipv6) {
            to.set(ValueLayout.JAVA_INT_UNALIGNED, at + 4, 0);
            to.set(LONG_BE, at + 8, high);
            to.set(LONG_BE, at + 16, low);
            to.set(ValueLayout.JAVA_INT_UNALIGNED, at + 24, scope);
            return SOCKADDR_BYTES;
        }
        to.set(INT_BE, at + 4, (int) low);
        to.set(ValueLayout.JAVA_LONG_UNALIGNED, at + 8, 0);
        return SOCKADDR_IN_BYTES;
    }

    // ---- the table ----

    private int add(long high, long low, int scope) {
        int id = takeSlot();
        Source source = sources[id];
        source.high = high;
        source.low = low;
        source.scope = scope;
        source.used = true;
        int bucket = bucket(high, low, scope);
        while (buckets[bucket] != NONE) {
            bucket = (bucket + 1) & (buckets.length - 1);
        }
        buckets[bucket] = id;
        return id;
    }

    private int takeSlot() {
        if (firstFree != NONE) {
            int id = firstFree;
            firstFree = sources[id].newer;
            return id;
        }
        if (unheld >= MAX_UNHELD) {
            return evict();
        }
        if (size == sources.length) {
            sources = Arrays.copyOf(sources, 2 * size);
            int[] old = buckets;
            buckets = new int[4 * sources.length];
            Arrays.fill(buckets, NONE);
            for (int id : old) {
                if (id != NONE) {
                    rehash(id);
                }
            }
        }
        sources[size] = new Source();
        return size++;
    }

    private int evict() {
        int id = oldest;
        unlink(id);
        removeFromBuckets(id);
        forget(sources[id]);
        counters.increment(UdpCounters.Counter.SOURCES_EVICTED);
        return id;
    }

    private void rehash(int id) {
        int bucket = bucket(sources[id].high, sources[id].low, sources[id].scope);
        while (buckets[bucket] != NONE) {
            bucket = (bucket + 1) & (buckets.length - 1);
        }
        buckets[bucket] = id;
    }

    private static void forget(Source source) {
        source.used = false;
        source.address = null;
        source.destination = null;
        source.outgoing = null;
        source.incoming = new IcrcPath[1];
        source.incomingPorts = new int[1];
    }

    private int find(long high, long low, int scope) {
        int bucket = bucket(high, low, scope);
        int id;
        while ((id = buckets[bucket]) != NONE) {
            Source source = sources[id];
            if (source.low == low && source.high == high && source.scope == scope) {
                return id;
            }
            bucket = (bucket + 1) & (buckets.length - 1);
        }
        return NONE;
    }

    private int bucket(long high, long low, int scope) {
        long hash = (low ^ hashSeed) * 0x9E37_79B9_7F4A_7C15L;
        hash = ((hash ^ hash >>> 32) + high + scope) * 0xD6E8_FEB8_6659_FD93L;
        return (int) (hash >>> 40) & (buckets.length - 1);
    }

    /** Open addressing: who stands behind the gap and could stand in it moves up. */
    private void removeFromBuckets(int id) {
        int mask = buckets.length - 1;
        int gap = bucket(sources[id].high, sources[id].low, sources[id].scope);
        while (buckets[gap] != id) {
            gap = (gap + 1) & mask;
        }
        int next = gap;
        while (true) {
            next = (next + 1) & mask;
            int other = buckets[next];
            if (other == NONE) {
                break;
            }
            int wanted = bucket(sources[other].high, sources[other].low, sources[other].scope);
            if (((next - wanted) & mask) >= ((next - gap) & mask)) {
                buckets[gap] = other;
                gap = next;
            }
        }
        buckets[gap] = NONE;
    }

    private void append(int id) {
        Source source = sources[id];
        source.older = newest;
        source.newer = NONE;
        if (newest == NONE) {
            oldest = id;
        } else {
            sources[newest].newer = id;
        }
        newest = id;
        unheld++;
    }

    private void unlink(int id) {
        Source source = sources[id];
        if (source.older == NONE) {
            oldest = source.newer;
        } else {
            sources[source.older].newer = source.newer;
        }
        if (source.newer == NONE) {
            newest = source.older;
        } else {
            sources[source.newer].older = source.older;
        }
        unheld--;
    }
}
