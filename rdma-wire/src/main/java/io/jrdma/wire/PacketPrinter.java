package io.jrdma.wire;

import io.jrdma.wire.ib.IcrcPath;
import java.lang.foreign.MemorySegment;

/**
 * One line of text for what went over a wire, for traces and people who debug.
 *
 * <p>Total: any bytes give a line, wrong ones with the name of what is wrong ({@link Malformed}, {@link io.jrdma.wire.ib.IbMalformed},
 * {@link io.jrdma.wire.cm.CmMalformed}) and a few bytes in hex. A length that passes the segment's end is cut there. Numbers are
 * decimal, addresses of memory and keys hex, numbers of InfiniBand queue pairs hex with {@code 0x}. Allocates freely: not for the data
 * path.
 */
public final class PacketPrinter {
    private PacketPrinter() {}

    /** iWARP: either a start-up frame or an FPDU without markers, whichever the first bytes look like. */
    public static String mpa(MemorySegment segment, long at, long length) {
        return IwarpPrinter.mpa(segment, at, Line.clip(segment, at, length));
    }

    /** iWARP: an MPA Request or Reply. */
    public static String startup(MemorySegment segment, long at, long length) {
        return IwarpPrinter.startup(segment, at, Line.clip(segment, at, length));
    }

    /** iWARP: an FPDU without markers; the CRC field is shown, not checked. */
    public static String fpdu(MemorySegment segment, long at, long length) {
        return IwarpPrinter.fpdu(segment, at, Line.clip(segment, at, length));
    }

    /** iWARP: a DDP segment with what RDMAP has in it. */
    public static String segment(MemorySegment segment, long at, long length) {
        return IwarpPrinter.segment(segment, at, Line.clip(segment, at, length));
    }

    /**
     * RoCEv2: a packet from the BTH to the ICRC, the payload of one UDP datagram, and what a management datagram in it says. The ICRC is
     * shown, not checked.
     */
    public static String roce(MemorySegment segment, long at, long length) {
        return RocePrinter.packet(null, segment, at, Line.clip(segment, at, length));
    }

    /**
     * RoCEv2: the same, and whether the ICRC is right, as far as a receiver can tell that does not see the IP header: the line names the
     * IPv4 identification that the ICRC needs.
     *
     * @param path the addresses and ports that the datagram carries
     */
    public static String roce(IcrcPath path, MemorySegment segment, long at, long length) {
        return RocePrinter.packet(path, segment, at, Line.clip(segment, at, length));
    }

    /** RoCEv2: a management datagram, the payload of a packet for queue pair 1. */
    public static String mad(MemorySegment segment, long at, long length) {
        return CmPrinter.mad(segment, at, Line.clip(segment, at, length));
    }
}
