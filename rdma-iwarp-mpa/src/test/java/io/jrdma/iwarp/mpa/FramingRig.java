package io.jrdma.iwarp.mpa;

import io.jrdma.verbs.spi.TransmitSink;
import io.jrdma.wire.Malformed;
import io.jrdma.wire.crc.Crc32c;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** A sender and a receiver of FPDUs, each with the stream of its own. */
final class FramingRig implements MpaReceiver.Ulpdus, TransmitSink {
    final List<byte[]> received = new ArrayList<>();
    int error = Malformed.OK;
    int errors;
    boolean lastWasInput;
    private final MpaSender sender;
    private final MpaReceiver receiver;
    private final MemorySegment memory = Arena.ofAuto().allocate(1 << 17);
    private MemorySegment input = MemorySegment.NULL;
    private int committed;

    FramingRig(boolean crc, boolean markers) {
        sender = new MpaSender(crc, markers, new Crc32c());
        receiver = new MpaReceiver(crc, markers, new Crc32c(), this);
    }

    byte[] send(byte[] ulpdu) {
        memory.fill((byte) 0xDB);
        if (!sender.claim(this, ulpdu.length)) {
            throw new AssertionError();
        }
        MemorySegment.copy(ulpdu, 0, sender.segment(), ValueLayout.JAVA_BYTE, sender.ulpduAt(), ulpdu.length);
        int bytes = sender.commit();
        if (bytes != committed) {
            throw new AssertionError(bytes + " " + committed);
        }
        return memory.asSlice(1, bytes).toArray(ValueLayout.JAVA_BYTE);
    }

    void receive(byte[] bytes) {
        input = Arena.ofAuto().allocate(bytes.length + 1);
        MemorySegment.copy(bytes, 0, input, ValueLayout.JAVA_BYTE, 1, bytes.length);
        receiver.onBytes(input, 1, bytes.length);
        input.fill((byte) 0xEE);
    }

    boolean isBetweenFpdus() {
        return receiver.isBetweenFpdus();
    }

    @Override
    public boolean onUlpdu(MemorySegment segment, long at, int length) {
        received.add(segment.asSlice(at, length).toArray(ValueLayout.JAVA_BYTE));
        lastWasInput = segment.equals(input);
        return true;
    }

    @Override
    public void onMpaError(int malformed) {
        error = malformed;
        errors++;
    }

    @Override
    public boolean tryClaim(int length) {
        return true;
    }

    @Override
    public int maxClaim() {
        return 1 << 17;
    }

    @Override
    public MemorySegment segment() {
        return memory;
    }

    @Override
    public long offset() {
        return 1;
    }

    @Override
    public void commit(int length) {
        committed = length;
    }

    @Override
    public void abort() {}
}
