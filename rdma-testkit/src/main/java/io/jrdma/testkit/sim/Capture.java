package io.jrdma.testkit.sim;

import io.jrdma.wire.Bytes;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the streams and datagrams of a run carried, for Wireshark: the bytes as they arrived, in Ethernet, IP and TCP or UDP headers that
 * are made up around them, in a pcap file with times in nanoseconds. A datagram that was lost is not there, one with a wrong ICRC is.
 */
public final class Capture {
    private static final int MAGIC_NANOSECONDS = 0xA1B23C4D;
    private static final int LINKTYPE_ETHERNET = 1;
    private static final int ETHERNET = 14;
    private static final int TCP = 20;
    private static final int MAX_PAYLOAD = 65_000;
    private static final int FIN = 0x01;
    private static final int SYN = 0x02;
    private static final int RST = 0x04;
    private static final int PSH_ACK = 0x18;
    private static final int ACK = 0x10;

    private static final class Direction {
        final InetSocketAddress source;
        final InetSocketAddress destination;

        @Nullable
        Direction back;

        long sent; // of this direction, with its SYN and FIN

        Direction(InetSocketAddress source, InetSocketAddress destination) {
            this.source = source;
            this.destination = destination;
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // written once, read once
    private record Frame(long timeNs, byte[] bytes) {}

    private final Map<StreamLink, Direction> directions = new LinkedHashMap<>();
    private final List<Frame> frames = new ArrayList<>();

    Capture() {}

    void opened(
            long nowNs,
            StreamLink forward,
            StreamLink backward,
            @Nullable InetSocketAddress active,
            InetSocketAddress passive) {
        Direction there = new Direction(Objects.requireNonNull(active), passive);
        Direction back = new Direction(passive, active);
        there.back = back;
        back.back = there;
        directions.put(forward, there);
        directions.put(backward, back);
        add(nowNs, there, SYN, new byte[0], 0, 0);
        there.sent = 1;
        add(nowNs, back, SYN | ACK, new byte[0], 0, 0);
        back.sent = 1;
        add(nowNs, there, ACK, new byte[0], 0, 0);
    }

    void data(long nowNs, StreamLink link, long position, byte[] bytes) {
        Direction direction = directions.get(link);
        if (direction == null) {
            return; // it was up before the capture began
        }
        for (int at = 0; at < bytes.length; at += MAX_PAYLOAD) {
            int length = Math.min(MAX_PAYLOAD, bytes.length - at);
            add(nowNs, direction, PSH_ACK, bytes, at, length);
            direction.sent += length;
        }
    }

    void finished(long nowNs, StreamLink link) {
        Direction direction = directions.get(link);
        if (direction != null) {
            add(nowNs, direction, FIN | ACK, new byte[0], 0, 0);
            direction.sent++;
        }
    }

    void reset(long nowNs, StreamLink link) {
        Direction direction = directions.get(link);
        if (direction != null) {
            add(nowNs, direction, RST | ACK, new byte[0], 0, 0);
        }
    }

    /** Frames so far. */
    public int frames() {
        return frames.size();
    }

    /** A datagram has come to the receiver's host. */
    void datagram(long nowNs, Datagram datagram) {
        byte[] headers = datagram.headers();
        byte[] packet = datagram.packet();
        byte[] frame = new byte[ETHERNET + headers.length + packet.length];
        ethernet(frame, headers[0] >>> 4 == 4);
        System.arraycopy(headers, 0, frame, ETHERNET, headers.length);
        System.arraycopy(packet, 0, frame, ETHERNET + headers.length, packet.length);
        frames.add(new Frame(nowNs, frame));
    }

    private static void ethernet(byte[] frame, boolean v4) {
        frame[5] = 2;
        frame[11] = 1;
        frame[6] = 2; // locally administered
        frame[0] = 2;
        Bytes.putU16(MemorySegment.ofArray(frame), 12, v4 ? 0x0800 : 0x86DD);
    }

    private void add(long nowNs, Direction direction, int flags, byte[] payload, int from, int length) {
        byte[] source = direction.source.getAddress().getAddress();
        byte[] destination = direction.destination.getAddress().getAddress();
        boolean v4 = source.length == 4;
        int ip = v4 ? 20 : 40;
        byte[] frame = new byte[ETHERNET + ip + TCP + length];
        MemorySegment to = MemorySegment.ofArray(frame);
        ethernet(frame, v4);
        if (v4) {
            frame[14] = 0x45;
            Bytes.putU16(to, 16, ip + TCP + length);
            Bytes.putU16(to, 20, 0x4000);
            frame[22] = 64;
            frame[23] = 6;
            System.arraycopy(source, 0, frame, 26, 4);
            System.arraycopy(destination, 0, frame, 30, 4);
            Bytes.putU16(to, 24, IpUdp.fold(IpUdp.sum(frame, ETHERNET, ip, 0)));
        } else {
            frame[14] = 0x60;
            Bytes.putU16(to, 18, TCP + length);
            frame[20] = 6;
            frame[21] = 64;
            System.arraycopy(source, 0, frame, 22, 16);
            System.arraycopy(destination, 0, frame, 38, 16);
        }
        int tcp = ETHERNET + ip;
        long acknowledged = Objects.requireNonNull(direction.back).sent;
        Bytes.putU16(to, tcp, direction.source.getPort());
        Bytes.putU16(to, tcp + 2, direction.destination.getPort());
        Bytes.putU32(to, tcp + 4, (int) (1000 + direction.sent));
        Bytes.putU32(to, tcp + 8, (flags & ACK) == 0 ? 0 : (int) (1000 + acknowledged));
        frame[tcp + 12] = 5 << 4;
        frame[tcp + 13] = (byte) flags;
        Bytes.putU16(to, tcp + 14, 0xFFFF);
        System.arraycopy(payload, from, frame, tcp + TCP, length);
        long pseudo = IpUdp.sum(source, 0, source.length, 0);
        pseudo = IpUdp.sum(destination, 0, destination.length, pseudo) + 6 + TCP + length;
        Bytes.putU16(to, tcp + 16, IpUdp.fold(IpUdp.sum(frame, tcp, TCP + length, pseudo)));
        frames.add(new Frame(nowNs, frame));
    }

    /**
     * Writes all frames to a pcap file.
     *
     * @throws IOException if the file cannot be written
     */
    public void write(Path file) throws IOException {
        Path directory = file.toAbsolutePath().getParent();
        if (directory != null) {
            Files.createDirectories(directory);
        }
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            byte[] header = new byte[24];
            MemorySegment to = MemorySegment.ofArray(header);
            Bytes.putU32(to, 0, MAGIC_NANOSECONDS);
            Bytes.putU16(to, 4, 2);
            Bytes.putU16(to, 6, 4);
            Bytes.putU32(to, 16, 1 << 17);
            Bytes.putU32(to, 20, LINKTYPE_ETHERNET);
            out.write(header);
            for (Frame frame : frames) {
                byte[] record = new byte[16];
                MemorySegment at = MemorySegment.ofArray(record);
                Bytes.putU32(at, 0, (int) (frame.timeNs / 1_000_000_000L));
                Bytes.putU32(at, 4, (int) (frame.timeNs % 1_000_000_000L));
                Bytes.putU32(at, 8, frame.bytes.length);
                Bytes.putU32(at, 12, frame.bytes.length);
                out.write(record);
                out.write(frame.bytes);
            }
        }
    }
}
