package io.jrdma.interop.sim;

import io.jrdma.testkit.sim.SimHost;
import io.jrdma.testkit.sim.Simulator;
import io.jrdma.verbs.Access;
import io.jrdma.verbs.CompletionQueue;
import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.MemoryRegion;
import io.jrdma.verbs.ProtectionDomain;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.spi.StreamConnection;
import io.jrdma.verbs.spi.StreamListener;
import io.jrdma.verbs.spi.StreamParameters;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/** One device of a swarm, with its region and its queue pairs. */
final class SwarmSide {
    static final int INLINE = 128;

    final String name;
    final SimHost host;
    final RdmaDevice device;
    final CompletionQueue queue;
    final MemoryRegion region;
    final List<SwarmLink> links = new ArrayList<>();
    boolean closed;
    private int accepted;
    private int nextSource;
    private int nextTarget = IwarpSwarm.REGION / 2;

    SwarmSide(Simulator simulator, String name, String address, MemorySegment memory, int connections, int depth) {
        this.name = name;
        host = simulator.host(name, address);
        device = RdmaDevice.open(Transport.IWARP, host.address(), DeviceOptions.DEFAULT.withDriver(host));
        ProtectionDomain domain = device.allocateProtectionDomain();
        queue = device.createCompletionQueue(4096);
        region = domain.register(memory, EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ));
        QueuePairOptions options =
                QueuePairOptions.rc(queue).withDepths(depth, 512).withInlineData(INLINE);
        for (int i = 0; i < connections; i++) {
            SwarmLink link = new SwarmLink(this, domain.createQueuePair(options));
            link.queuePair.modify(QpAttributes.state(QpState.INIT));
            links.add(link);
        }
    }

    /** A peer opened a stream: the next queue pair is for it. */
    StreamListener accept(StreamConnection connection, StreamParameters parameters) {
        SwarmLink link = links.get(accepted++);
        link.connection = connection;
        link.answer = parameters;
        return link;
    }

    int takeSource(int bytes) {
        int at = nextSource;
        nextSource += bytes;
        if (nextSource > IwarpSwarm.REGION / 2) {
            throw new IllegalStateException("the program sends more than the region holds");
        }
        return at;
    }

    int takeTarget(int bytes) {
        int at = nextTarget;
        nextTarget += bytes;
        if (nextTarget > IwarpSwarm.REGION) {
            throw new IllegalStateException("the program receives more than the region holds");
        }
        return at;
    }

    void close() {
        closed = true;
        device.close();
    }
}
