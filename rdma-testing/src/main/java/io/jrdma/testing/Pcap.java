package io.jrdma.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reads capture files (classic pcap, either byte order, micro- or nanoseconds, link type Ethernet).
 *
 * <p>For tests on captures whose content is known: what is not IP, and IP fragments, are skipped; a damaged file throws
 * {@link IllegalArgumentException}.
 */
public final class Pcap {
    private static final int MAGIC_MICROS = 0xA1B2_C3D4;
    private static final int MAGIC_NANOS = 0xA1B2_3C4D;
    private static final int FILE_HEADER = 24;
    private static final int RECORD_HEADER = 16;
    private static final int LINK_TYPE_ETHERNET = 1;

    private final List<Frame> frames;

    private Pcap(List<Frame> frames) {
        this.frames = List.copyOf(frames);
    }

    /** One of the captures of real kernel peers that stand beside this class, by its name without {@code .pcap}. */
    public static Pcap capture(String name) {
        String resource = "/captures/" + name + ".pcap";
        try (InputStream in = Pcap.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalArgumentException("no resource " + resource);
            }
            return parse(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(resource, e);
        }
    }

    /** Reads a file. */
    public static Pcap read(Path file) {
        try {
            return parse(Files.readAllBytes(file));
        } catch (IOException e) {
            throw new UncheckedIOException(file.toString(), e);
        }
    }

    /** Parses the bytes of a file. */
    public static Pcap parse(byte[] file) {
        if (file.length < FILE_HEADER) {
            throw new IllegalArgumentException("no pcap file: " + file.length + " bytes");
        }
        ByteBuffer in = ByteBuffer.wrap(file);
        if (!isMagic(in.getInt(0))) {
            in.order(ByteOrder.LITTLE_ENDIAN);
        }
        int magic = in.getInt(0);
        if (!isMagic(magic)) {
            throw new IllegalArgumentException("no pcap file: magic " + Integer.toHexString(magic));
        }
        if (in.getInt(20) != LINK_TYPE_ETHERNET) {
            throw new IllegalArgumentException("link type " + in.getInt(20) + ", expected Ethernet");
        }
        long fractionNs = magic == MAGIC_NANOS ? 1 : 1000;
        List<Frame> frames = new ArrayList<>();
        in.position(FILE_HEADER);
        while (in.remaining() >= RECORD_HEADER) {
            long seconds = Integer.toUnsignedLong(in.getInt());
            long fraction = Integer.toUnsignedLong(in.getInt());
            int captured = in.getInt();
            int original = in.getInt();
            if (captured < 0 || captured > in.remaining()) {
                throw new IllegalArgumentException("record of " + captured + " bytes passes the end of the file");
            }
            byte[] bytes = new byte[captured];
            in.get(bytes);
            frames.add(new Frame((seconds * 1_000_000_000) + (fraction * fractionNs), bytes, captured < original));
        }
        return new Pcap(frames);
    }

    private static boolean isMagic(int word) {
        return word == MAGIC_MICROS || word == MAGIC_NANOS;
    }

    /** All frames, in the order of the file. */
    public List<Frame> frames() {
        return frames;
    }

    /** All IP packets that are no fragments, in the order of the file. */
    public List<IpPacket> ipPackets() {
        List<IpPacket> packets = new ArrayList<>();
        for (Frame frame : frames) {
            IpPacket packet = IpPacket.parse(frame);
            if (packet != null) {
                packets.add(packet);
            }
        }
        return packets;
    }

    /** All UDP datagrams, in the order of the file. */
    public List<UdpDatagram> udpDatagrams() {
        List<UdpDatagram> datagrams = new ArrayList<>();
        for (IpPacket packet : ipPackets()) {
            if (packet.protocol() == IpPacket.UDP) {
                datagrams.add(UdpDatagram.parse(packet));
            }
        }
        return datagrams;
    }

    /** All TCP connections whose start is in the file, in the order of their start, each direction put together. */
    public List<TcpConnection> tcpConnections() {
        return TcpConnection.assemble(ipPackets());
    }

    /** A frame of the link. */
    @SuppressWarnings("ArrayRecordComponent") // frames are never compared
    public record Frame(long timestampNs, byte[] bytes, boolean cut) {
        /** The bytes from {@code from} to {@code to}. */
        byte[] slice(int from, int to) {
            return Arrays.copyOfRange(bytes, from, to);
        }
    }
}
