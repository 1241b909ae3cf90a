package io.jrdma.interop.peer;

import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A namespace and the guests in it, shared by all tests of a run. Knows nothing of JUnit; {@link KernelPeerExtension} hands
 * it to tests, and any program may make its own.
 *
 * <p>One thread at a time.
 */
public final class PeerRig implements AutoCloseable {
    /** The guest that tests use unless they need two. */
    private static final int FIRST = 2;

    private final Path files;
    private final PeerNamespace namespace;
    private final SortedMap<Integer, KernelGuest> guests = new TreeMap<>();

    private PeerRig(Path files, PeerNamespace namespace) {
        this.files = files;
        this.namespace = namespace;
    }

    /** Builds the guest's files if need be, and makes the namespace. Needs root. */
    public static PeerRig create() {
        Path files = GuestFiles.build();
        return new PeerRig(files, PeerNamespace.create());
    }

    public PeerNamespace namespace() {
        return namespace;
    }

    /** The versions of kernel and tools in the guests. */
    public String versions() {
        return GuestFiles.versions(files);
    }

    /** The guest at 10.77.0.2, booted now if there is none that can be used. */
    public KernelGuest guest() {
        return guest(FIRST);
    }

    /** A guest by the last part of its address, booted now if there is none that can be used. */
    public KernelGuest guest(int number) {
        KernelGuest guest = guests.get(number);
        if (guest == null || !guest.isUsable()) {
            if (guest != null) {
                guest.close();
            }
            guest = KernelGuest.boot(namespace, number, files);
            guests.put(number, guest);
        }
        return guest;
    }

    /** The guests that have been booted. */
    Iterable<KernelGuest> guests() {
        return guests.values();
    }

    @Override
    public void close() {
        // The guests go first, so that their channels are closed from this side; the namespace would end them as well.
        guests.values().forEach(KernelGuest::close);
        namespace.close();
    }
}
