package io.jrdma.perf;

import io.jrdma.cm.ConnectionParameters;
import io.jrdma.cm.RdmaCmEvent;
import io.jrdma.cm.RdmaCmId;
import io.jrdma.cm.RdmaEventChannel;
import io.jrdma.verbs.Access;
import io.jrdma.verbs.CompletionChannel;
import io.jrdma.verbs.CompletionQueue;
import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.MemoryRegion;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.ProtectionDomain;
import io.jrdma.verbs.QueuePair;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.WrOpcode;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * RDMA Writes over either wire, one device and one event loop a side, a window of them outstanding, posted from the completion callback on
 * the sender's loop. A zero-byte RDMA Read behind the last one proves that all are placed.
 */
final class RdmaWriteStream implements ByteStream {
    private static final int WINDOW = 16;
    private static final long REGION_BYTES = 4L << 20;
    private static final long LAST = -1;

    private final String name;
    private final Arena arena = Arena.ofShared();
    private final RdmaEventChannel passive;
    private final RdmaEventChannel active;
    private final RdmaCmId client;
    private final RdmaCmId server;
    private final QueuePair queuePair;
    private final MemoryRegion source;
    private final MemoryRegion target;
    private final SendWr request = new SendWr();
    private final WorkCompletion[] holders = new WorkCompletion[WINDOW];
    private final Semaphore finished = new Semaphore(0);
    private final Runnable start = this::fill;

    // loop only, or handed over by execute
    private int messageBytes;
    private long toPost;
    private int outstanding;
    private boolean flushed;
    private long remoteOffset;
    private @Nullable WorkCompletion failure;

    /** Over iWARP. */
    static RdmaWriteStream iwarp(MpaOptions options, String name) throws InterruptedException {
        return new RdmaWriteStream(Transport.IWARP, options, DeviceOptions.DEFAULT, DeviceOptions.DEFAULT, name);
    }

    /** Over RoCE, with the path MTU that the loopback interface allows: 4096 bytes. */
    static RdmaWriteStream roce(String name) throws InterruptedException {
        LoopbackPorts ports = LoopbackPorts.choose();
        return new RdmaWriteStream(Transport.ROCE_V2, MpaOptions.RECOMMENDED, ports.passive(), ports.active(), name);
    }

    private RdmaWriteStream(
            Transport transport, MpaOptions options, DeviceOptions passiveSide, DeviceOptions activeSide, String name)
            throws InterruptedException {
        this.name = name;
        passive = RdmaEventChannel.create(passiveSide);
        active = RdmaEventChannel.create(activeSide);
        for (int i = 0; i < holders.length; i++) {
            holders[i] = new WorkCompletion();
        }
        ConnectionParameters parameters =
                ConnectionParameters.builder().mpa(options).build();
        InetAddress loopback = InetAddress.getLoopbackAddress();
        RdmaCmId listener = passive.createId(transport);
        listener.bind(new InetSocketAddress(loopback, 0));
        listener.listen(1, options);

        client = active.createId(transport);
        client.resolveAddress(null, Objects.requireNonNull(listener.localAddress()), Duration.ofSeconds(5));
        await(active, RdmaCmEvent.AddressResolved.class);
        client.resolveRoute(Duration.ofSeconds(5));
        await(active, RdmaCmEvent.RouteResolved.class);
        RdmaDevice device = Objects.requireNonNull(client.device());
        ProtectionDomain domain = device.allocateProtectionDomain();
        CompletionChannel channel = device.createCompletionChannel();
        CompletionQueue completions = device.createCompletionQueue(4 * WINDOW, channel);
        queuePair =
                client.createQueuePair(domain, QueuePairOptions.rc(completions).withDepths(2 * WINDOW, 1));
        source = domain.register(arena, REGION_BYTES, EnumSet.noneOf(Access.class));
        client.connect(parameters);

        RdmaCmEvent asked = await(passive, RdmaCmEvent.ConnectRequest.class);
        server = asked.id();
        RdmaDevice peer = Objects.requireNonNull(server.device());
        ProtectionDomain peerDomain = peer.allocateProtectionDomain();
        server.createQueuePair(peerDomain, QueuePairOptions.rc(peer.createCompletionQueue(16)));
        target = peerDomain.register(arena, REGION_BYTES, EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE));
        server.accept(parameters);
        await(active, RdmaCmEvent.Established.class);

        channel.onEvent(this::onCompletions);
        completions.arm(false);
    }

    private static RdmaCmEvent await(RdmaEventChannel channel, Class<? extends RdmaCmEvent> wanted)
            throws InterruptedException {
        RdmaCmEvent event = channel.poll(Duration.ofSeconds(10));
        if (!wanted.isInstance(event)) {
            throw new IllegalStateException("waited for " + wanted.getSimpleName() + ", got " + event);
        }
        return event;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void move(int newMessageBytes, long totalBytes) throws InterruptedException {
        messageBytes = newMessageBytes;
        toPost = totalBytes / newMessageBytes;
        flushed = false;
        Objects.requireNonNull(client.device()).driver().execute(start);
        finished.acquire();
        if (failure != null) {
            throw new IllegalStateException("the stream failed: " + failure);
        }
    }

    private void onCompletions(CompletionQueue queue) {
        drain(queue);
        queue.arm(false);
        // a completion between the last poll and the arm makes no event
        drain(queue);
    }

    private void drain(CompletionQueue queue) {
        for (int n = queue.poll(holders); n > 0; n = queue.poll(holders)) {
            for (int i = 0; i < n; i++) {
                outstanding--;
                if (!holders[i].isSuccess()) {
                    failure = holders[i];
                    finished.release();
                    return;
                }
                if (holders[i].id() == LAST) {
                    finished.release();
                    return;
                }
            }
            fill();
        }
    }

    private void fill() {
        while (toPost > 0 && outstanding < WINDOW) {
            if (remoteOffset + messageBytes > REGION_BYTES) {
                remoteOffset = 0;
            }
            queuePair.postSend(request.reset()
                    .id(toPost)
                    .opcode(WrOpcode.RDMA_WRITE)
                    .addSge(source, remoteOffset, messageBytes)
                    .remote(target.address() + remoteOffset, target.remoteKey()));
            remoteOffset += messageBytes;
            toPost--;
            outstanding++;
        }
        if (toPost == 0 && !flushed) {
            flushed = true;
            outstanding++;
            queuePair.postSend(request.reset().id(LAST).opcode(WrOpcode.RDMA_READ));
        }
    }

    @Override
    public void close() {
        client.close();
        server.close();
        active.close();
        passive.close();
        arena.close();
    }
}
