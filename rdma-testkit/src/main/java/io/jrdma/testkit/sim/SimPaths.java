package io.jrdma.testkit.sim;

import io.jrdma.verbs.AddressVector;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The paths of one port. Ids of senders that nobody pinned are few, and soon given to others, so that an engine that remembers one is
 * found out.
 */
final class SimPaths {
    private static final int MAX_STRANGERS = 2;

    private static final class Path {
        final int id;
        AddressVector destination;
        int pins;

        Path(int id, AddressVector destination) {
            this.id = id;
            this.destination = destination;
        }
    }

    private final Map<InetAddress, Path> byAddress = new HashMap<>();
    private final Map<Integer, Path> byId = new HashMap<>();
    private final ArrayDeque<Path> strangers = new ArrayDeque<>();
    private final BitSet taken = new BitSet();
    private int current = -1;

    /** The id of a sender for the time of a call, and until its place is needed. */
    int stranger(InetAddress from) {
        Path path = byAddress.get(from);
        if (path == null) {
            path = addStranger(from);
        }
        return path.id;
    }

    /** The packet in hand came from there; -1 if there is none. */
    void current(int id) {
        current = id;
    }

    int pin(AddressVector destination) {
        Path path = byAddress.get(destination.destination());
        if (path == null) {
            path = add(destination);
        } else if (path.pins == 0) {
            strangers.remove(path);
        }
        path.destination = destination;
        path.pins++;
        return path.id;
    }

    void unpin(int id) {
        Path path = byId.get(id);
        if (path == null || path.pins == 0) {
            throw new AssertionError("path " + id + " was unpinned more often than pinned");
        }
        path.pins--;
        if (path.pins == 0) {
            makeRoom();
            strangers.add(path);
        }
    }

    private Path addStranger(InetAddress from) {
        makeRoom();
        Path path = add(AddressVector.to(from));
        strangers.add(path);
        return path;
    }

    private void makeRoom() {
        if (strangers.size() == MAX_STRANGERS) {
            Path oldest = strangers.remove();
            if (oldest.id == current) {
                strangers.add(oldest);
                oldest = strangers.remove();
            }
            remove(oldest);
        }
    }

    /** Where that pinned path leads, or null. */
    @Nullable
    AddressVector pinned(int id) {
        Path path = byId.get(id);
        return path == null || path.pins == 0 ? null : path.destination;
    }

    InetAddress address(int id) {
        Path path = byId.get(id);
        if (path == null || (path.pins == 0 && id != current)) {
            throw new AssertionError("path " + id + " is neither pinned nor that of the packet in hand");
        }
        return path.destination.destination();
    }

    private Path add(AddressVector destination) {
        Path path = new Path(taken.nextClearBit(0), destination);
        taken.set(path.id);
        byAddress.put(destination.destination(), path);
        byId.put(path.id, path);
        return path;
    }

    private void remove(Path path) {
        taken.clear(path.id);
        byAddress.remove(path.destination.destination());
        byId.remove(path.id);
    }

    /** Paths that are pinned. */
    int pinnedCount() {
        int count = 0;
        for (Path path : byId.values()) {
            count += path.pins > 0 ? 1 : 0;
        }
        return count;
    }
}
