package io.jrdma.tools.demo;

import io.jrdma.cm.RemoteMemory;
import io.jrdma.tools.Completions;
import io.jrdma.tools.ToolException;
import io.jrdma.verbs.MemoryRegion;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.WrOpcode;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The operations of the demo on one connection, active side. Each returns nanoseconds from posting to its last completion, and throws if
 * anything is not as it should be, at either side.
 */
final class DemoOperations {
    /** Bytes of a small message. */
    static final int SMALL = 64;

    private static final int MESSAGE = 65536;
    private static final int LARGE = DemoLink.REGION;
    private static final int LIST = 16;
    private static final int PIECES = 4;

    private final DemoPeer peer;
    private final DemoLink link;
    private int seed;

    /** Something that is done once. */
    record Operation(String name, long bytes, Body body) {
        long run() throws InterruptedException {
            return body.run();
        }
    }

    private interface Body {
        long run() throws InterruptedException;
    }

    DemoOperations(DemoPeer peer, DemoLink link) {
        this.peer = peer;
        this.link = link;
    }

    /** What succeeds, in the order in which it is to be done. */
    List<Operation> all() {
        return List.of(
                new Operation("Send", MESSAGE, () -> send(MESSAGE, 1, request(WrOpcode.SEND, MESSAGE, 1))),
                new Operation("Send, inline", SMALL, () -> send(SMALL, 1, inline())),
                new Operation("Send, scatter/gather", MESSAGE, this::scatterGather),
                new Operation("Send with solicited event", SMALL, this::solicited),
                new Operation("Send with invalidate", SMALL, this::sendWithInvalidate),
                new Operation("RDMA Write", LARGE, this::write),
                new Operation("RDMA Write, list of " + LIST, LARGE, this::writeList),
                new Operation("RDMA Read", LARGE, this::read),
                new Operation("local invalidate", 0, this::localInvalidate));
    }

    private long send(int bytes, int pieces, SendWr request) throws InterruptedException {
        peer.ask("receive " + bytes + " " + pieces);
        int sent = fill(bytes);
        long begin = System.nanoTime();
        link.queuePair().postSend(request);
        await(WcOpcode.SEND);
        long nanos = System.nanoTime() - begin;
        peer.ask("received " + bytes + " " + sent);
        return nanos;
    }

    private SendWr inline() {
        return request(WrOpcode.SEND, SMALL, 1).inline(true);
    }

    /** Four pieces here, three there. */
    private long scatterGather() throws InterruptedException {
        return send(MESSAGE, PIECES - 1, request(WrOpcode.SEND, MESSAGE, PIECES));
    }

    private long solicited() throws InterruptedException {
        peer.ask("receive " + SMALL + " 1");
        peer.ask("receive " + SMALL + " 1");
        peer.ask("arm-solicited");
        link.queuePair().postSend(request(WrOpcode.SEND, SMALL, 1));
        await(WcOpcode.SEND);
        peer.ask("received-unnoticed");
        long begin = System.nanoTime();
        link.queuePair().postSend(request(WrOpcode.SEND, SMALL, 1).solicited(true));
        await(WcOpcode.SEND);
        long nanos = System.nanoTime() - begin;
        peer.ask("received-noticed");
        return nanos;
    }

    private long sendWithInvalidate() throws InterruptedException {
        RemoteMemory window = window();
        peer.ask("receive " + SMALL + " 1");
        long begin = System.nanoTime();
        link.queuePair().postSend(request(WrOpcode.SEND_WITH_INV, SMALL, 1).invalidate(window.key()));
        await(WcOpcode.SEND);
        long nanos = System.nanoTime() - begin;
        peer.ask("received-invalidate");
        return nanos;
    }

    /** A completion of a Write says the same on no two transports; that of a Read behind it says that the bytes are there. */
    private long write() throws InterruptedException {
        RemoteMemory target = memory();
        int sent = fill(LARGE);
        long begin = System.nanoTime();
        link.queuePair().postSend(request(WrOpcode.RDMA_WRITE, LARGE, 1).remote(target.address(), target.key()));
        await(WcOpcode.RDMA_WRITE);
        readNothing(target);
        long nanos = System.nanoTime() - begin;
        peer.ask("check " + LARGE + " " + sent);
        return nanos;
    }

    /** One call, one completion: that of the last. */
    private long writeList() throws InterruptedException {
        RemoteMemory target = memory();
        int sent = fill(LARGE);
        int bytes = LARGE / LIST;
        List<SendWr> requests = new ArrayList<>();
        for (int i = 0; i < LIST; i++) {
            requests.add(new SendWr()
                    .id(i)
                    .opcode(WrOpcode.RDMA_WRITE)
                    .signaled(i == LIST - 1)
                    .remote(target.address() + (long) i * bytes, target.key())
                    .addSge(link.region(), (long) i * bytes, bytes));
        }
        long begin = System.nanoTime();
        link.queuePair().postSend(requests);
        WorkCompletion completion = await(WcOpcode.RDMA_WRITE);
        if (completion.id() != LIST - 1) {
            throw ToolException.failed("request " + completion.id() + " completed, though it was not signaled");
        }
        readNothing(target);
        long nanos = System.nanoTime() - begin;
        peer.ask("check " + LARGE + " " + sent);
        return nanos;
    }

    private long read() throws InterruptedException {
        RemoteMemory source = memory();
        seed++;
        peer.ask("fill " + LARGE + " " + seed);
        link.region().segment().fill((byte) 0);
        long begin = System.nanoTime();
        link.queuePair().postSend(request(WrOpcode.RDMA_READ, LARGE, 1).remote(source.address(), source.key()));
        await(WcOpcode.RDMA_READ);
        long nanos = System.nanoTime() - begin;
        DemoData.check("what was read", link.region().segment(), seed);
        return nanos;
    }

    private long localInvalidate() throws InterruptedException {
        MemoryRegion fresh = link.register(SMALL);
        long begin = System.nanoTime();
        invalidate(fresh);
        return System.nanoTime() - begin;
    }

    /** Reads at the peer by a key that a Send has invalidated. */
    long readByInvalidatedKey() throws InterruptedException {
        RemoteMemory window = window();
        peer.ask("receive " + SMALL + " 1");
        link.queuePair().postSend(request(WrOpcode.SEND_WITH_INV, SMALL, 1).invalidate(window.key()));
        await(WcOpcode.SEND);
        peer.ask("received-invalidate");
        return fails(
                request(WrOpcode.RDMA_READ, SMALL, 1).remote(window.address(), window.key()), WcStatus.REM_ACCESS_ERR);
    }

    /** Reads at the peer by a key that it never gave out. */
    long readByWrongKey() throws InterruptedException {
        RemoteMemory memory = memory();
        return fails(
                request(WrOpcode.RDMA_READ, SMALL, 1).remote(memory.address(), memory.key() ^ 0x5500),
                WcStatus.REM_ACCESS_ERR);
    }

    /** Sends from a region whose own key was invalidated. */
    long sendByInvalidatedKey() throws InterruptedException {
        MemoryRegion fresh = link.register(SMALL);
        invalidate(fresh);
        return fails(new SendWr().addSge(fresh, 0, SMALL), WcStatus.LOC_PROT_ERR);
    }

    /** In good order, with a receive at each side that is flushed by it. */
    long disconnect() throws InterruptedException {
        link.postReceive(SMALL, 1);
        peer.ask("receive " + SMALL + " 1");
        long begin = System.nanoTime();
        link.id().disconnect();
        link.awaitEnd(1);
        long nanos = System.nanoTime() - begin;
        peer.ask("ended 1");
        return nanos;
    }

    /** The request fails so, what is posted behind it is flushed, and the connection is over at both sides. */
    private long fails(SendWr request, WcStatus expected) throws InterruptedException {
        long begin = System.nanoTime();
        link.queuePair().postSend(List.of(request, new SendWr().opcode(WrOpcode.RDMA_READ)));
        WorkCompletion first = link.completions().next();
        long nanos = System.nanoTime() - begin;
        if (first.status() != expected || first.opcode() != request.opcode().completion()) {
            throw ToolException.failed(Completions.describe(first) + " came; expected " + expected);
        }
        WorkCompletion second = link.completions().next();
        if (second.status() != WcStatus.WR_FLUSH_ERR) {
            throw ToolException.failed("the request behind it ended with " + Completions.describe(second));
        }
        link.awaitEnd(0);
        if (link.queuePair().state() != QpState.ERROR) {
            throw ToolException.failed(
                    "the queue pair is in " + link.queuePair().state() + " afterwards");
        }
        peer.ask("ended 0");
        return nanos;
    }

    private void invalidate(MemoryRegion region) throws InterruptedException {
        link.queuePair().postSend(new SendWr().opcode(WrOpcode.LOCAL_INV).invalidate(region.localKey()));
        await(WcOpcode.LOCAL_INV);
    }

    private void readNothing(RemoteMemory from) throws InterruptedException {
        link.queuePair().postSend(new SendWr().opcode(WrOpcode.RDMA_READ).remote(from.address(), from.key()));
        await(WcOpcode.RDMA_READ);
    }

    private WorkCompletion await(WcOpcode opcode) throws InterruptedException {
        return link.completions().await(opcode, opcode);
    }

    /** A request for the first bytes of the region, in so many pieces. */
    private SendWr request(WrOpcode opcode, int bytes, int pieces) {
        SendWr request = new SendWr().opcode(opcode);
        for (int i = 0; i < pieces; i++) {
            request.addSge(link.region(), (long) i * (bytes / pieces), bytes / pieces);
        }
        return request;
    }

    /** New data in the first bytes of the region; returns its seed. */
    private int fill(int bytes) {
        MemorySegment memory = link.region().segment().asSlice(0, bytes);
        DemoData.fill(memory, ++seed);
        return seed;
    }

    private RemoteMemory memory() throws InterruptedException {
        return RemoteMemory.of(HexFormat.of().parseHex(peer.ask("memory")));
    }

    private RemoteMemory window() throws InterruptedException {
        return RemoteMemory.of(HexFormat.of().parseHex(peer.ask("window")));
    }
}
