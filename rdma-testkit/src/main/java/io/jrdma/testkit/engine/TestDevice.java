package io.jrdma.testkit.engine;

import io.jrdma.verbs.AsyncEvent;
import io.jrdma.verbs.DeviceAttributes;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.verbs.memory.MemoryTable;
import io.jrdma.verbs.queue.CompletionPort;
import io.jrdma.verbs.spi.DeviceContext;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** What a device lends to the engine under test, and one registered region of memory with work requests on it. For one thread. */
public class TestDevice implements DeviceContext {
    /** The protection domain of the region. */
    public static final int PD = 7;

    /** The loop of the engine. */
    public final TestDriver driver;
    /** The registered memory of the device. */
    public final MemoryTable table;
    /** What {@link #onAsyncEvent} was told, oldest first. */
    public final List<AsyncEvent> events = new ArrayList<>();
    /** The region's bytes. */
    public final MemorySegment memory;
    /** The region's key, local and remote. */
    public final int key;

    private final DeviceAttributes attributes;

    /**
     * A device with one region.
     *
     * @param attributes the transport's limits
     * @param seed decides the keys
     * @param memory the region
     * @param rights of the region: a mask of {@link io.jrdma.verbs.Access#bit}
     */
    public TestDevice(DeviceAttributes attributes, TestClock clock, long seed, MemorySegment memory, int rights) {
        this.attributes = attributes;
        this.memory = memory;
        driver = new TestDriver(clock::nowNs);
        table = new MemoryTable(seed, 1000);
        key = table.register(PD, memory, rights);
    }

    /** The address of a byte of the region. */
    public final long address(long offset) {
        return memory.address() + offset;
    }

    /** Writes into the region. */
    public final void fill(long offset, byte... bytes) {
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, offset, bytes.length);
    }

    /** Reads from the region. */
    public final byte[] bytes(long offset, int length) {
        return memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    }

    /** A receive into the region. */
    public final RecvWr receive(long id, long offset, int length) {
        return new RecvWr().id(id).addSge(address(offset), length, key);
    }

    /** A Send from the region; without an element if it has no bytes. */
    public final SendWr send(long id, long offset, int length) {
        SendWr wr = new SendWr().id(id);
        return length == 0 ? wr : wr.addSge(address(offset), length, key);
    }

    /** A Write from this region to another device's. */
    public final SendWr write(long id, long offset, int length, TestDevice to, long toOffset) {
        return send(id, offset, length).opcode(WrOpcode.RDMA_WRITE).remote(to.address(toOffset), to.key);
    }

    /** A Read into this region from another device's. */
    public final SendWr read(long id, long offset, int length, TestDevice from, long fromOffset) {
        return send(id, offset, length).opcode(WrOpcode.RDMA_READ).remote(from.address(fromOffset), from.key);
    }

    /** The completions since the last call. */
    public static List<WorkCompletion> take(CompletionPort port) {
        List<WorkCompletion> all = new ArrayList<>();
        WorkCompletion[] one = {new WorkCompletion()};
        while (port.drain(one, 0, 1) == 1) {
            all.add(one[0]);
            one[0] = new WorkCompletion();
        }
        return all;
    }

    /** The completions since the last call, as text: {@code id STATUS opcode length}. */
    public static List<String> takeText(CompletionPort port) {
        return take(port).stream()
                .map(wc -> wc.id() + " " + wc.status() + " " + wc.opcode() + " " + wc.byteLength())
                .toList();
    }

    @Override
    public DeviceAttributes attributes() {
        return attributes;
    }

    @Override
    public MemoryTable memory() {
        return table;
    }

    @Override
    public long seed() {
        return 1;
    }

    @Override
    public void onAsyncEvent(AsyncEvent event) {
        events.add(event);
    }
}
