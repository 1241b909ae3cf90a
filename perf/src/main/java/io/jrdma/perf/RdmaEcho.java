package io.jrdma.perf;

import io.jrdma.cm.ConnectionParameters;
import io.jrdma.cm.RdmaCmEvent;
import io.jrdma.cm.RdmaCmId;
import io.jrdma.cm.RdmaEventChannel;
import io.jrdma.verbs.Access;
import io.jrdma.verbs.CompletionQueue;
import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.MemoryRegion;
import io.jrdma.verbs.ProtectionDomain;
import io.jrdma.verbs.QueuePair;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/** Send and Receive with manual progress: on each side the thread that polls is the one that reads and writes the socket. */
final class RdmaEcho implements Echo {
    private static final int DEPTH = 8;
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final String name;
    private final Transport transport;
    private final BlockingQueue<InetSocketAddress> listening = new LinkedBlockingQueue<>();
    private final RdmaEventChannel channel;
    private final Arena arena = Arena.ofShared();
    private final Side side;
    private final Thread thread;
    private volatile boolean closed;
    private volatile @Nullable Throwable fault;

    RdmaEcho(String name, Transport transport, int bytes, boolean sendWithNextPoll) throws InterruptedException {
        this.name = name;
        this.transport = transport;
        LoopbackPorts ports = LoopbackPorts.choose();
        DeviceOptions passive = ports.passive(sendWithNextPoll);
        thread = Thread.ofPlatform().daemon().name("rdma-echo").start(() -> serve(passive, bytes));
        channel = RdmaEventChannel.create(ports.active(sendWithNextPoll));
        RdmaCmId id = channel.createId(transport);
        id.resolveAddress(null, listening.take(), LIMIT);
        await(channel, RdmaCmEvent.AddressResolved.class);
        id.resolveRoute(LIMIT);
        await(channel, RdmaCmEvent.RouteResolved.class);
        side = new Side(id, arena, bytes);
        id.connect(ConnectionParameters.RECOMMENDED);
        await(channel, RdmaCmEvent.Established.class);
    }

    /** One end: a queue pair with its receives posted. */
    private static final class Side {
        private final RdmaCmId id;
        private final QueuePair queuePair;
        private final CompletionQueue completions;
        private final WorkCompletion[] holders = new WorkCompletion[DEPTH];
        private final RecvWr receive = new RecvWr();
        private final SendWr send = new SendWr();

        Side(RdmaCmId id, Arena arena, int bytes) {
            this.id = id;
            for (int i = 0; i < DEPTH; i++) {
                holders[i] = new WorkCompletion();
            }
            RdmaDevice device = Objects.requireNonNull(id.device());
            ProtectionDomain domain = device.allocateProtectionDomain();
            completions = device.createCompletionQueue(4 * DEPTH);
            queuePair = id.createQueuePair(
                    domain,
                    QueuePairOptions.rc(completions).withDepths(DEPTH, DEPTH).withInlineData(bytes));
            MemoryRegion buffer = domain.register(arena, bytes, EnumSet.of(Access.LOCAL_WRITE));
            receive.addSge(buffer, 0, bytes);
            send.inlineData(MemorySegment.ofArray(new byte[bytes]));
            for (int i = 0; i < DEPTH; i++) {
                queuePair.postReceive(receive);
            }
        }

        void send() {
            queuePair.postSend(send);
        }

        /** Looks for completions; whether a message was among them. */
        boolean received() {
            int n = completions.poll(holders);
            boolean message = false;
            for (int i = 0; i < n; i++) {
                if (!holders[i].isSuccess()) {
                    throw new IllegalStateException("the connection failed: " + holders[i]);
                }
                if (holders[i].opcode() == WcOpcode.RECV) {
                    queuePair.postReceive(receive);
                    message = true;
                }
            }
            return message;
        }
    }

    private void serve(DeviceOptions options, int bytes) {
        try (Arena own = Arena.ofShared();
                RdmaEventChannel events = RdmaEventChannel.create(options);
                RdmaCmId listener = events.createId(transport)) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            listener.listen(1);
            listening.add(Objects.requireNonNull(listener.localAddress()));
            Side passive =
                    new Side(await(events, RdmaCmEvent.ConnectRequest.class).id(), own, bytes);
            passive.id.accept(ConnectionParameters.RECOMMENDED);
            await(events, RdmaCmEvent.Established.class);
            while (!closed) {
                if (passive.received()) {
                    passive.send();
                }
            }
            passive.id.close();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException failure) {
            fault = failure;
        }
    }

    private static RdmaCmEvent await(RdmaEventChannel channel, Class<? extends RdmaCmEvent> wanted)
            throws InterruptedException {
        RdmaCmEvent event = channel.poll(LIMIT);
        if (!wanted.isInstance(event)) {
            throw new IllegalStateException("waited for " + wanted.getSimpleName() + ", got " + event);
        }
        return Objects.requireNonNull(event);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void roundTrip() {
        side.send();
        while (!side.received()) {
            if (fault != null) {
                throw new IllegalStateException("the other side failed", fault);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            thread.join();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
        side.id.close();
        channel.close();
        arena.close();
    }
}
