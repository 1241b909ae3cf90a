package io.jrdma.testing;

import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A TCP connection of a capture, each direction put together.
 *
 * @param client who connected
 * @param server who accepted
 * @param toServer what the client sent
 * @param toClient what the server sent
 */
public record TcpConnection(InetSocketAddress client, InetSocketAddress server, Stream toServer, Stream toClient) {
    private static final int HEADER = 20;
    private static final int FIN = 0x01;
    private static final int SYN = 0x02;
    private static final int RST = 0x04;
    private static final int ACK = 0x10;

    /**
     * One direction.
     *
     * @param bytes its bytes up to its end or to the first one that the capture lacks
     * @param finished whether it ends with FIN right behind these bytes
     * @param reset whether its sender reset the connection
     */
    @SuppressWarnings("ArrayRecordComponent") // streams are never compared
    public record Stream(byte[] bytes, boolean finished, boolean reset) {}

    static List<TcpConnection> assemble(List<IpPacket> packets) {
        List<Building> started = new ArrayList<>();
        Map<Ends, Building> current = new HashMap<>();
        for (IpPacket packet : packets) {
            Segment segment = packet.protocol() == IpPacket.TCP ? Segment.parse(packet) : null;
            if (segment == null) {
                continue;
            }
            Ends ends = new Ends(segment.source, segment.target);
            Building known = current.get(ends);
            if (segment.has(SYN) && !segment.has(ACK) && (known == null || known.toServer.isNewStart(segment))) {
                Building building = new Building(ends, new Assembler(), new Assembler());
                building.toServer.add(segment);
                started.add(building);
                current.put(ends, building);
            } else if (known != null) {
                known.toServer.add(segment);
            } else {
                Building reverse = current.get(new Ends(segment.target, segment.source));
                if (reverse != null) {
                    reverse.toClient.add(segment);
                }
            }
        }
        return started.stream()
                .map(b -> new TcpConnection(b.ends.source, b.ends.target, b.toServer.finish(), b.toClient.finish()))
                .toList();
    }

    private record Ends(InetSocketAddress source, InetSocketAddress target) {}

    private record Building(Ends ends, Assembler toServer, Assembler toClient) {}

    private record Segment(
            InetSocketAddress source, InetSocketAddress target, int seq, int flags, IpPacket ip, int at) {
        static @Nullable Segment parse(IpPacket ip) {
            int at = ip.payloadAt();
            int headerBytes = ip.bytes().length < at + HEADER ? 0 : (ip.bytes()[at + 12] >> 4 & 0xF) * 4;
            if (headerBytes < HEADER || at + headerBytes > ip.bytes().length) {
                return null;
            }
            return new Segment(
                    new InetSocketAddress(ip.source(), ip.u16(at)),
                    new InetSocketAddress(ip.target(), ip.u16(at + 2)),
                    ip.u32(at + 4),
                    ip.bytes()[at + 13] & 0xFF,
                    ip,
                    at + headerBytes);
        }

        boolean has(int flag) {
            return (flags & flag) != 0;
        }

        int length() {
            return ip.bytes().length - at;
        }
    }

    /** Puts one direction together; segments may come twice, overlap and be out of order. */
    private static final class Assembler {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private final List<Segment> waiting = new ArrayList<>();
        private boolean started;
        private boolean finished;
        private boolean reset;
        private int firstSeq;
        private int nextSeq;

        boolean isNewStart(Segment syn) {
            return started && firstSeq != syn.seq + 1;
        }

        void add(Segment segment) {
            if (segment.has(SYN) && !started) {
                started = true;
                firstSeq = segment.seq + 1;
                nextSeq = firstSeq;
            }
            reset |= segment.has(RST);
            if (started && (segment.length() > 0 || segment.has(FIN))) {
                waiting.add(segment);
                takeWhatFits();
            }
        }

        private void takeWhatFits() {
            boolean progress = true;
            while (progress) {
                progress = waiting.removeIf(this::take);
            }
        }

        /** Whether nothing of the segment is needed any more. */
        private boolean take(Segment segment) {
            int dataSeq = segment.has(SYN) ? segment.seq + 1 : segment.seq;
            int known = nextSeq - dataSeq;
            if (known < 0) {
                return false;
            }
            if (known < segment.length()) {
                out.write(segment.ip.bytes(), segment.at + known, segment.length() - known);
                nextSeq += segment.length() - known;
            }
            finished |= segment.has(FIN) && nextSeq == dataSeq + segment.length();
            return true;
        }

        Stream finish() {
            return new Stream(out.toByteArray(), finished, reset);
        }
    }
}
