package io.jrdma.testkit.sim;

import io.jrdma.verbs.AddressVector;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The peers of one port, and the paths to them. Ids of senders to whom no path is pinned are few, and soon given to others, so that an
 * engine that remembers one is found out; and no path has the number of a source, so that one that takes one for the other is as well.
 */
final class SimPaths {
    private static final int MAX_STRANGERS = 2;
    private static final int FIRST_PATH = 1_000_000;

    /** Where packets come from. */
    private static final class Source {
        final int id;
        final InetAddress address;
        int paths;

        Source(int id, InetAddress address) {
            this.id = id;
            this.address = address;
        }
    }

    /** Where packets go, and how. */
    private static final class Path {
        final int id;
        final AddressVector destination;
        final Source source;
        int pins;

        Path(int id, AddressVector destination, Source source) {
            this.id = id;
            this.destination = destination;
            this.source = source;
        }
    }

    private final Map<InetAddress, Source> byAddress = new HashMap<>();
    private final Map<Integer, Source> sources = new HashMap<>();
    private final BitSet takenSources = new BitSet();
    private final ArrayDeque<Source> strangers = new ArrayDeque<>();
    private final Map<AddressVector, Path> byDestination = new HashMap<>();
    private final Map<Integer, Path> paths = new HashMap<>();
    private final BitSet takenPaths = new BitSet();
    private int current = -1;

    /** The id of a sender for the time of a call, and until its place is needed. */
    int stranger(InetAddress from) {
        Source source = byAddress.get(from);
        if (source == null) {
            makeRoom();
            source = addSource(from);
            strangers.add(source);
        }
        return source.id;
    }

    /** The packet in hand came from there; -1 if there is none. */
    void current(int sourceId) {
        current = sourceId;
    }

    int pin(AddressVector destination) {
        Path path = byDestination.get(destination);
        if (path == null) {
            path = addPath(destination);
        }
        path.pins++;
        return path.id;
    }

    void unpin(int id) {
        Path path = paths.get(id);
        if (path == null) {
            throw new AssertionError("path " + id + " was unpinned more often than pinned");
        }
        path.pins--;
        if (path.pins == 0) {
            remove(path);
        }
    }

    /** Where that pinned path leads, or null. */
    @Nullable
    AddressVector pinned(int id) {
        Path path = paths.get(id);
        return path == null ? null : path.destination;
    }

    int source(int id) {
        Path path = paths.get(id);
        if (path == null) {
            throw new AssertionError("the source of path " + id + ", which is not pinned");
        }
        return path.source.id;
    }

    InetAddress address(int sourceId) {
        Source source = sources.get(sourceId);
        if (source == null || (source.paths == 0 && sourceId != current)) {
            throw new AssertionError("source " + sourceId + " is neither pinned nor that of the packet in hand");
        }
        return source.address;
    }

    /** Paths that are pinned. */
    int pinnedCount() {
        return paths.size();
    }

    private Path addPath(AddressVector destination) {
        Source source = byAddress.get(destination.destination());
        if (source == null) {
            source = addSource(destination.destination());
        } else if (source.paths == 0) {
            strangers.remove(source);
        }
        source.paths++;
        int number = takenPaths.nextClearBit(0);
        takenPaths.set(number);
        Path path = new Path(FIRST_PATH + number, destination, source);
        byDestination.put(destination, path);
        paths.put(path.id, path);
        return path;
    }

    private void remove(Path path) {
        takenPaths.clear(path.id - FIRST_PATH);
        byDestination.remove(path.destination);
        paths.remove(path.id);
        path.source.paths--;
        if (path.source.paths == 0) {
            makeRoom();
            strangers.add(path.source);
        }
    }

    private Source addSource(InetAddress address) {
        Source source = new Source(takenSources.nextClearBit(0), address);
        takenSources.set(source.id);
        byAddress.put(address, source);
        sources.put(source.id, source);
        return source;
    }

    private void makeRoom() {
        if (strangers.size() == MAX_STRANGERS) {
            Source oldest = strangers.remove();
            if (oldest.id == current) {
                strangers.add(oldest);
                oldest = strangers.remove();
            }
            takenSources.clear(oldest.id);
            byAddress.remove(oldest.address);
            sources.remove(oldest.id);
        }
    }
}
