package io.jrdma.verbs;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A work request for a send queue: a plain holder that the caller fills, posts, and may fill again at once, because posting copies it.
 *
 * <p>Setters return {@code this}. A new or {@link #reset() reset} request is a signaled Send without payload. Not thread-safe; posting
 * allocates nothing.
 */
public final class SendWr {
    private long id;
    private WrOpcode opcode = WrOpcode.SEND;
    private int flags = SendFlags.SIGNALED;
    private long remoteAddress;
    private int remoteKey;
    private int immediateOrKey;
    private long compareAdd;
    private long swap;
    private @Nullable AddressHandle addressHandle;
    private int remoteQp;
    private int remoteQKey;
    private @Nullable MemorySegment inlineData;
    private final SgeList sges = new SgeList();

    /** A signaled Send without payload, id 0. */
    public SendWr() {}

    /** Back to a signaled Send without payload, id 0. */
    public SendWr reset() {
        id = 0;
        opcode = WrOpcode.SEND;
        flags = SendFlags.SIGNALED;
        remoteAddress = 0;
        remoteKey = 0;
        immediateOrKey = 0;
        compareAdd = 0;
        swap = 0;
        addressHandle = null;
        remoteQp = 0;
        remoteQKey = 0;
        inlineData = null;
        sges.clear();
        return this;
    }

    /** The caller's mark, given back in the completion ({@code wr_id}). */
    public SendWr id(long value) {
        id = value;
        return this;
    }

    /** What to do. */
    public SendWr opcode(WrOpcode value) {
        opcode = value;
        return this;
    }

    /**
     * All flags at once, bits of {@link SendFlags}.
     *
     * @throws IllegalArgumentException if a bit is not one of them
     */
    public SendWr flags(int value) {
        if ((value & ~SendFlags.ALL) != 0) {
            throw new IllegalArgumentException(
                    "send flags 0x%x; allowed bits are 0x%x".formatted(value, SendFlags.ALL));
        }
        flags = inlineData == null ? value : value | SendFlags.INLINE;
        return this;
    }

    /** Whether success makes a completion; failure always does. */
    public SendWr signaled(boolean on) {
        return flag(SendFlags.SIGNALED, on);
    }

    /** Whether to wait for all earlier Reads and atomics first. */
    public SendWr fenced(boolean on) {
        return flag(SendFlags.FENCE, on);
    }

    /** Whether the receiver's completion is a solicited event. */
    public SendWr solicited(boolean on) {
        return flag(SendFlags.SOLICITED, on);
    }

    /** Whether the payload is copied while posting. */
    public SendWr inline(boolean on) {
        return flag(SendFlags.INLINE, on || inlineData != null);
    }

    /**
     * Takes the payload from any memory, registered or not, heap or native, instead of from a scatter/gather list, and sets {@link
     * SendFlags#INLINE}, which stays set as long as there is such a payload. Null goes back to the list.
     */
    public SendWr inlineData(@Nullable MemorySegment payload) {
        inlineData = payload;
        return flag(SendFlags.INLINE, payload != null);
    }

    private SendWr flag(int bit, boolean on) {
        flags = on ? flags | bit : flags & ~bit;
        return this;
    }

    /** Where a Write, Read or atomic works at the peer: address and key, as the peer gave them. */
    public SendWr remote(long address, int key) {
        remoteAddress = address;
        remoteKey = key;
        return this;
    }

    /** Immediate data of a {@code ..._WITH_IMM} opcode. */
    public SendWr immediate(int value) {
        immediateOrKey = value;
        return this;
    }

    /** The key to invalidate: the peer's for {@link WrOpcode#SEND_WITH_INV}, the own one for {@link WrOpcode#LOCAL_INV}. */
    public SendWr invalidate(int key) {
        immediateOrKey = key;
        return this;
    }

    /** Operands of an atomic: the value to add, or to compare with and to put in. */
    public SendWr atomic(long compareOrAdd, long swapValue) {
        compareAdd = compareOrAdd;
        swap = swapValue;
        return this;
    }

    /**
     * Where a datagram goes to: for Sends of unreliable datagram queue pairs.
     *
     * @param to of the queue pair's protection domain
     * @param qpNum the receiver's queue pair, 0 to 2^24 - 1
     * @param qKey the receiver's queue key; one with the highest bit set stands for the sender's own
     * @throws IllegalArgumentException if the number of the queue pair is out of range
     */
    public SendWr datagram(AddressHandle to, int qpNum, int qKey) {
        if (qpNum < 0 || qpNum > 0xFF_FFFF) {
            throw new IllegalArgumentException("queue pair number " + qpNum + " is outside 0.." + 0xFF_FFFF);
        }
        addressHandle = to;
        remoteQp = qpNum;
        remoteQKey = qKey;
        return this;
    }

    /**
     * Adds a scatter/gather element.
     *
     * @param length bytes, 0 to 2^32 - 1
     */
    public SendWr addSge(long address, long length, int localKey) {
        sges.add(address, length, localKey);
        return this;
    }

    /** Adds {@code length} bytes of the region from {@code offset}. */
    public SendWr addSge(MemoryRegion region, long offset, long length) {
        return addSge(region.address() + offset, length, region.localKey());
    }

    /** Adds a scatter/gather element. */
    public SendWr addSge(Sge sge) {
        return addSge(sge.address(), sge.length(), sge.localKey());
    }

    /** Removes all scatter/gather elements. */
    public SendWr clearSges() {
        sges.clear();
        return this;
    }

    public long id() {
        return id;
    }

    public WrOpcode opcode() {
        return opcode;
    }

    public int flags() {
        return flags;
    }

    public long remoteAddress() {
        return remoteAddress;
    }

    public int remoteKey() {
        return remoteKey;
    }

    /** Immediate data, or the key to invalidate. */
    public int immediateOrKey() {
        return immediateOrKey;
    }

    public long compareAdd() {
        return compareAdd;
    }

    public long swap() {
        return swap;
    }

    /** The inline payload that {@link #inlineData(MemorySegment)} set, or null. */
    public @Nullable MemorySegment inlineData() {
        return inlineData;
    }

    /** Where a datagram goes to, or null. */
    public @Nullable AddressHandle addressHandle() {
        return addressHandle;
    }

    /** The queue pair that a datagram goes to. */
    public int remoteQp() {
        return remoteQp;
    }

    /** The queue key of a datagram. */
    public int remoteQKey() {
        return remoteQKey;
    }

    public int sgeCount() {
        return sges.count();
    }

    public long sgeAddress(int index) {
        return sges.address(index);
    }

    public long sgeLength(int index) {
        return sges.length(index);
    }

    public int sgeKey(int index) {
        return sges.key(index);
    }

    /** Bytes of payload: of the inline data if it is set, else the sum over the scatter/gather list. */
    public long length() {
        if (inlineData != null) {
            return inlineData.byteSize();
        }
        return sges.total();
    }
}
