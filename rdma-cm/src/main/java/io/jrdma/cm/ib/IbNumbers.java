package io.jrdma.cm.ib;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.spi.Seeds;
import io.jrdma.wire.cm.CmBytes;
import io.jrdma.wire.cm.Gid;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.function.IntPredicate;

/** The numbers of a device's connection manager that have to look random and may not come again soon, all from the device's seed. */
final class IbNumbers {
    /** The system's own choice of ports, as Linux has it. */
    private static final int FIRST_PORT = 32_768;

    private static final int PORTS = 61_000 - FIRST_PORT;

    private final long seed;
    private final long caGuid;
    private long commIds;
    private long psns;
    private long requestIds;
    private int nextPort;

    IbNumbers(long deviceSeed, InetAddress own) {
        // the address as well: two devices with the same seed are still two channel adapters
        seed = Seeds.child(deviceSeed, "connection manager at " + own.getHostAddress());
        long guid = Seeds.child(seed, "CA GUID");
        caGuid = guid == 0 ? 1 : guid;
        nextPort = (int) Math.floorMod(Seeds.child(seed, "ports"), (long) PORTS);
    }

    /** The globally unique identifier of the channel adapter that this device stands for. */
    long caGuid() {
        return caGuid;
    }

    /** Its bytes, as additional information of a REJ. */
    CmBytes caGuidBytes() {
        return CmBytes.of(ByteBuffer.allocate(Long.BYTES).putLong(caGuid).array());
    }

    /** A local communication ID, not 0 and none of those in use. */
    int commId(IntPredicate inUse) {
        int id;
        do {
            id = (int) Seeds.child(seed, "communication IDs", commIds++);
        } while (id == 0 || inUse.test(id));
        return id;
    }

    /** A request ID of service ID resolution. */
    int requestId(IntPredicate inUse) {
        int id;
        do {
            id = (int) Seeds.child(seed, "request IDs", requestIds++);
        } while (inUse.test(id));
        return id;
    }

    /** A starting packet sequence number of 24 bits. */
    int psn() {
        return (int) (Seeds.child(seed, "starting PSNs", psns++) & 0xFF_FFFF);
    }

    /** The transaction ID of an exchange that this side begins under that communication or request ID. */
    long transactionId(int id) {
        return (Seeds.child(seed, "transaction IDs") << Integer.SIZE) | (id & 0xFFFF_FFFFL);
    }

    /** A port of the system's choice, whoever else may use it. */
    int port() {
        return port(taken -> false);
    }

    /**
     * A port to listen on.
     *
     * @param what is to listen, for the message
     * @param wanted 0 for a free one
     * @throws VerbsException EADDRINUSE if somebody listens there, or on every port
     */
    int listeningPort(String what, InetAddress at, int wanted, IntPredicate inUse) {
        int port = wanted == 0 ? port(inUse) : wanted;
        if (port < 0) {
            throw new VerbsException(
                    Errno.EADDRINUSE,
                    what + " at " + Gid.of(at.getAddress()) + " port 0: each of the system's own ports " + FIRST_PORT
                            + ".." + (FIRST_PORT + PORTS - 1) + " is listened on; others may be free");
        } else if (inUse.test(port)) {
            throw new VerbsException(
                    Errno.EADDRINUSE,
                    what + " at " + Gid.of(at.getAddress()) + " port " + port
                            + ": somebody listens there; allowed are other ports, and 0 for any");
        }
        return port;
    }

    /** -1 if none is free. */
    private int port(IntPredicate inUse) {
        for (int i = 0; i < PORTS; i++) {
            int port = FIRST_PORT + nextPort;
            nextPort = (nextPort + 1) % PORTS;
            if (!inUse.test(port)) {
                return port;
            }
        }
        return -1;
    }
}
