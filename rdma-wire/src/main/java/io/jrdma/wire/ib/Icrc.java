package io.jrdma.wire.ib;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The invariant CRC of RoCEv2 (IBTA annex A17): computed, filled in, checked.
 *
 * <p>It covers eight bytes of ones, the IP header, the UDP header and the packet, where TOS, TTL, flow label, both checksums and byte 4 of
 * the BTH count as ones. A CRC is linear: the packet's bytes go through the JDK's intrinsic as they are, in one piece, and what stands in
 * front of them is added afterwards as one number that depends on the {@link IcrcPath} and the length alone. The IPv4 identification,
 * which a sender must know and a receiver on an ordinary socket never sees, is another such number:
 * {@link #seal(IcrcPath, MemorySegment, long, int, int, int)} steps through those of a train, and {@link #verify} finds the only one that
 * explains the packet, if there is one. So with IPv4 a random error passes with a chance of 2^-16, with IPv6 of 2^-32; one wrong bit never.
 *
 * <p>Lengths are those of the datagram's payload, ICRC included: 16 to {@link RoceV2Packet#MAX_LENGTH}, a multiple of 4.
 *
 * <p>{@link #attach} gives it the buffer that most packets are in: those bytes are read where they are, all others through a small array
 * of this object. Nothing is allocated afterwards, but for about 1.5 KB when a length is seen for the first time in the process. One
 * thread at a time.
 */
public final class Icrc {
    /** {@link #verify}: no identification explains the ICRC. */
    public static final int MISMATCH = -1;

    private final CRC32 crc = new CRC32();
    private final byte[] scratch = new byte[RoceV2Packet.MAX_LENGTH];
    private @Nullable MemorySegment attached;
    private @Nullable ByteBuffer view;

    /** One without a buffer. */
    public Icrc() {}

    /**
     * From now on reads this segment's bytes where they are, whenever it is passed whole, with the packet's place in it as offset.
     *
     * @param buffer at most 2^31-1 bytes, readable by the thread that uses this object
     */
    public void attach(MemorySegment buffer) {
        view = buffer.asByteBuffer();
        attached = buffer;
    }

    /**
     * The ICRC of a packet.
     *
     * @param length bytes, ICRC included, whose last four are not looked at
     * @param identification what the IPv4 header carries, 0..65535; of no meaning with IPv6
     */
    public int compute(IcrcPath path, MemorySegment segment, long at, int length, int identification) {
        crc.reset();
        update(segment, at, length - RoceV2Packet.ICRC_LENGTH);
        return finish(path, length, congestionByte(segment, at), identification);
    }

    /** Writes the ICRC of a packet into its last four bytes; parameters as of {@link #compute}. */
    public void seal(IcrcPath path, MemorySegment segment, long at, int length, int identification) {
        RoceV2Packet.putIcrc(segment, at, length, compute(path, segment, at, length, identification));
    }

    /**
     * Writes the ICRCs of a train: packets of one length, one behind the other, the last of which may be shorter. The kernel numbers them
     * upwards when it cuts a train (UDP_SEGMENT) into datagrams.
     *
     * @param segmentBytes length of each packet but the last
     * @param totalBytes bytes of all packets; more than 0
     * @param identification that of the first packet; each next one has one more, modulo 65536
     */
    public void seal(
            IcrcPath path, MemorySegment segment, long at, int segmentBytes, int totalBytes, int identification) {
        int next = identification;
        for (int done = 0; done < totalBytes; done += segmentBytes) {
            seal(path, segment, at + done, Math.min(segmentBytes, totalBytes - done), next);
            next = (next + 1) & 0xFFFF;
        }
    }

    /**
     * Checks the ICRC of a received packet without knowing its IPv4 identification.
     *
     * @param length bytes, ICRC included; any number, all of them inside the segment
     * @return the identification that its IPv4 header must have had, 0..65535, always 0 with IPv6; or {@link #MISMATCH}
     */
    public int verify(IcrcPath path, MemorySegment segment, long at, int length) {
        // [IBTA-A17-4] what does not match is dropped in silence
        if (!IcrcLength.isLength(length)) {
            return MISMATCH;
        }
        int difference = compute(path, segment, at, length, 0) ^ RoceV2Packet.icrc(segment, at, length);
        if (difference == 0) {
            return 0;
        }
        if (!path.isIpv4()) {
            return MISMATCH;
        }
        return IcrcLength.of(length).identificationOf(difference);
    }

    private int finish(IcrcPath path, int length, int congestion, int identification) {
        assert identification >>> 16 == 0 : identification;
        IcrcLength ofLength = IcrcLength.of(length);
        int icrc = (int) crc.getValue() ^ ofLength.ofPath(path) ^ ofLength.ofCongestionByte(congestion);
        return identification != 0 && path.isIpv4() ? icrc ^ ofLength.ofIdentification(identification) : icrc;
    }

    private static int congestionByte(MemorySegment segment, long at) {
        return Bytes.u8(segment, at + 4);
    }

    private void update(MemorySegment segment, long at, int length) {
        ByteBuffer direct = view;
        if (direct != null && segment.equals(attached)) {
            int from = (int) at;
            crc.update(direct.limit(from + length).position(from));
            return;
        }
        int done = 0;
        while (done < length) {
            int chunk = Math.min(length - done, scratch.length);
            MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, at + done, scratch, 0, chunk);
            crc.update(scratch, 0, chunk);
            done += chunk;
        }
    }
}
