package io.jrdma.tools.rping;

import io.jrdma.testing.Pcap;
import io.jrdma.testing.TcpConnection;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * An rping between two kernel peers, frame by frame, to be played again. CRC is off in it, so that a frame may be changed where it names
 * the other side's keys.
 */
final class RpingCapture {
    static final int SEND = 3;
    static final int READ_REQUEST = 1;
    static final int READ_RESPONSE = 2;
    static final int WRITE = 0;

    /** Offsets in a tagged FPDU, in a Read Request and in a Send with rping's message. */
    static final int TAGGED_STAG = 4;

    static final int SINK_STAG = 20;
    static final int SOURCE_STAG = 36;
    static final int MESSAGE = 20;

    private static final int CRC = 4;
    private static final int ENHANCED_FRAME = 24;

    private final byte[] request;
    private final byte[] reply;
    private final List<byte[]> ofClient;
    private final List<byte[]> ofServer;

    RpingCapture(String name) {
        TcpConnection connection = Pcap.capture(name).tcpConnections().getFirst();
        request = Arrays.copyOf(connection.toServer().bytes(), ENHANCED_FRAME);
        reply = Arrays.copyOf(connection.toClient().bytes(), ENHANCED_FRAME);
        ofClient = fpdus(connection.toServer().bytes());
        ofServer = fpdus(connection.toClient().bytes());
    }

    private static List<byte[]> fpdus(byte[] stream) {
        List<byte[]> fpdus = new ArrayList<>();
        ByteBuffer in = ByteBuffer.wrap(stream).position(ENHANCED_FRAME);
        while (in.hasRemaining()) {
            byte[] fpdu = new byte[length(in.getShort(in.position()))];
            in.get(fpdu);
            fpdus.add(fpdu);
        }
        return fpdus;
    }

    /** Bytes of the FPDU that begins with that length word: the word, the ULPDU, pad to 4, CRC. */
    private static int length(int word) {
        return (2 + (word & 0xFFFF) + 3 & ~3) + CRC;
    }

    int pings() {
        return ofClient.size() / 3;
    }

    /** The MPA request. */
    byte[] request() {
        return request.clone();
    }

    /** The MPA reply. */
    byte[] reply() {
        return reply.clone();
    }

    /** The client's FPDUs of a ping: 0 tells of the source, 1 is the Read Response, 2 tells of the sink. */
    byte[] ofClient(int ping, int index) {
        return ofClient.get(3 * ping + index).clone();
    }

    /** The server's FPDUs of a ping: 0 is the Read Request, 1 goes ahead, 2 is the Write, 3 goes ahead. */
    byte[] ofServer(int ping, int index) {
        return ofServer.get(4 * ping + index).clone();
    }

    /** The next FPDU of a stream; a zero-length Write, which may be sent at any time and means nothing, is passed over. */
    static byte[] read(DataInputStream in) throws IOException {
        while (true) {
            int word = in.readUnsignedShort();
            byte[] fpdu = new byte[length(word)];
            fpdu[0] = (byte) (word >> 8);
            fpdu[1] = (byte) word;
            in.readFully(fpdu, 2, fpdu.length - 2);
            if (opcode(fpdu) != WRITE || word > 14) {
                return fpdu;
            }
        }
    }

    static int opcode(byte[] fpdu) {
        return fpdu[3] & 0xF;
    }

    /** Copies the 12 bytes of an STag and an offset behind it. */
    static void copyTag(byte[] from, int at, byte[] to, int toAt) {
        System.arraycopy(from, at, to, toAt, 12);
    }

    /** A copy with zeros in place of so many bytes, and of the CRC, which means nothing here. */
    static byte[] without(byte[] fpdu, int at, int count) {
        byte[] copy = fpdu.clone();
        Arrays.fill(copy, at, at + count, (byte) 0);
        Arrays.fill(copy, copy.length - CRC, copy.length, (byte) 0);
        return copy;
    }
}
