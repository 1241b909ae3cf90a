package io.jrdma.netty;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.VerbsException;
import io.jrdma.wire.ib.IcrcPath;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;

/**
 * The ways on which packets leave a port: small numbers for an address, a traffic class and a hop limit. There is a path as long as it is
 * pinned, and as long its address has the same number in the {@link SourceTable}. Nothing is allocated when a path is pinned that was there
 * before. Loop only.
 */
final class PathTable {
    private static final int NONE = -1;

    private final SourceTable sources;
    private Path[] paths = new Path[64];
    private int size;
    private int firstFree = NONE;
    /** By source id, the first of the paths that lead there; they are few. */
    private int[] firsts = new int[0];

    /** One path. */
    private static final class Path {
        private int source;
        private int trafficClass;
        private int hopLimit;
        private int pins;
        /** Of those that lead to the same address, or of those that are free. */
        private int next;
    }

    /** A table without paths, to those peers. */
    PathTable(SourceTable sources) {
        this.sources = sources;
    }

    /** The id of a path, which stays until it is {@linkplain #unpin unpinned} as often as pinned. */
    int pin(InetAddress address, int trafficClass, int hopLimit) {
        int source = sources.hold(address);
        int known = find(source, trafficClass, hopLimit);
        if (known != NONE) {
            // the path holds it already
            sources.release(source);
            paths[known].pins++;
            return known;
        }
        int id = takeSlot();
        Path path = paths[id];
        path.source = source;
        path.trafficClass = trafficClass;
        path.hopLimit = hopLimit;
        path.pins = 1;
        path.next = firsts[source];
        firsts[source] = id;
        return id;
    }

    private int find(int source, int trafficClass, int hopLimit) {
        if (source >= firsts.length) {
            int old = firsts.length;
            firsts = Arrays.copyOf(firsts, Math.max(64, 2 * source));
            Arrays.fill(firsts, old, firsts.length, NONE);
        }
        int id = firsts[source];
        while (id != NONE && (paths[id].trafficClass != trafficClass || paths[id].hopLimit != hopLimit)) {
            id = paths[id].next;
        }
        return id;
    }

    private int takeSlot() {
        if (firstFree != NONE) {
            int id = firstFree;
            firstFree = paths[id].next;
            return id;
        }
        if (size == paths.length) {
            paths = Arrays.copyOf(paths, 2 * size);
        }
        paths[size] = new Path();
        return size++;
    }

    /** Takes back one {@link #pin}; EINVAL if there is no such path. */
    void unpin(int id) {
        check(id);
        Path path = paths[id];
        if (--path.pins == 0) {
            remove(id, path);
            path.next = firstFree;
            firstFree = id;
            sources.release(path.source);
        }
    }

    private void remove(int id, Path path) {
        int before = firsts[path.source];
        if (before == id) {
            firsts[path.source] = path.next;
            return;
        }
        while (paths[before].next != id) {
            before = paths[before].next;
        }
        paths[before].next = path.next;
    }

    /** Whether there is such a path. */
    boolean isPinned(int id) {
        return id >= 0 && id < size && paths[id].pins > 0;
    }

    /** Throws EINVAL if there is no such path. */
    void check(int id) {
        if (!isPinned(id)) {
            throw new VerbsException(Errno.EINVAL, "there is no path " + id);
        }
    }

    /** Paths that are pinned. */
    int pinned() {
        int count = 0;
        for (int id = 0; id < size; id++) {
            count += paths[id].pins > 0 ? 1 : 0;
        }
        return count;
    }

    // ---- what is known of a path that is pinned ----

    /** What its address is called among the {@linkplain SourceTable sources}. */
    int source(int id) {
        return paths[id].source;
    }

    int trafficClass(int id) {
        return paths[id].trafficClass;
    }

    int hopLimit(int id) {
        return paths[id].hopLimit;
    }

    /** Where packets go. */
    InetSocketAddress destination(int id) {
        return sources.destination(paths[id].source);
    }

    /** What the ICRC of packets that go there covers. */
    IcrcPath outgoing(int id) {
        return sources.outgoing(paths[id].source);
    }

    /**
     * Writes where packets go as the system wants it.
     *
     * @return bytes written
     */
    int putSockaddr(int id, MemorySegment to, long at) {
        return sources.putSockaddr(paths[id].source, to, at);
    }
}
