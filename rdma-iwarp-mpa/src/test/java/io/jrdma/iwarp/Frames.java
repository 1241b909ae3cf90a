package io.jrdma.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.wire.iwarp.MpaFpdu;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/** Bytes of iWARP frames, made by hand and not by the code under test. */
final class Frames {
    static final int M = 0x80;
    static final int C = 0x40;
    static final int R = 0x20;
    static final int S = 0x10;

    static final int A = 0x8000_0000;
    static final int RTR_SEND = 0x4000_0000;
    static final int RTR_WRITE = 0x8000;
    static final int RTR_READ = 0x4000;

    static final int WRITE = 0;
    static final int READ_REQUEST = 1;
    static final int READ_RESPONSE = 2;
    static final int SEND = 3;
    static final int SEND_INVALIDATE = 4;
    static final int SEND_SOLICITED = 5;
    static final int SEND_SOLICITED_INVALIDATE = 6;
    static final int TERMINATE = 7;

    private Frames() {}

    static byte[] request(int flags, int revision, byte... privateData) {
        return startup("MPA ID Req Frame", flags, revision, privateData);
    }

    static byte[] reply(int flags, int revision, byte... privateData) {
        return startup("MPA ID Rep Frame", flags, revision, privateData);
    }

    private static byte[] startup(String key, int flags, int revision, byte[] privateData) {
        return ByteBuffer.allocate(20 + privateData.length)
                .put(key.getBytes(StandardCharsets.US_ASCII))
                .put((byte) flags)
                .put((byte) revision)
                .putShort((short) privateData.length)
                .put(privateData)
                .array();
    }

    /** The four bytes of enhanced connection data and what follows them. */
    static byte[] enhanced(int control, int ird, int ord, byte... privateData) {
        return ByteBuffer.allocate(4 + privateData.length)
                .putInt(control | ird << 16 | ord)
                .put(privateData)
                .array();
    }

    static byte[] concat(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    /** An FPDU without markers, with its CRC. */
    static byte[] fpdu(byte... ulpdu) {
        ByteBuffer out = ByteBuffer.allocate((2 + ulpdu.length + 3 & ~3) + 4);
        out.putShort((short) ulpdu.length).put(ulpdu);
        int crcAt = out.capacity() - 4;
        CRC32C crc = new CRC32C();
        crc.update(out.array(), 0, crcAt);
        return out.order(ByteOrder.LITTLE_ENDIAN)
                .putInt(crcAt, (int) crc.getValue())
                .array();
    }

    /** The same with a wrong CRC. */
    static byte[] spoilt(byte[] fpdu) {
        byte[] copy = fpdu.clone();
        copy[copy.length - 1] ^= 1;
        return copy;
    }

    static byte[] tagged(int opcode, boolean last, int stag, long offset, byte... payload) {
        return ByteBuffer.allocate(14 + payload.length)
                .put((byte) (last ? 0xC1 : 0x81))
                .put((byte) (0x40 | opcode))
                .putInt(stag)
                .putLong(offset)
                .put(payload)
                .array();
    }

    static byte[] untagged(int opcode, boolean last, int word, int queue, int msn, int messageOffset, byte... payload) {
        return ByteBuffer.allocate(18 + payload.length)
                .put((byte) (last ? 0x41 : 0x01))
                .put((byte) (0x40 | opcode))
                .putInt(word)
                .putInt(queue)
                .putInt(msn)
                .putInt(messageOffset)
                .put(payload)
                .array();
    }

    static byte[] write(int stag, long offset, byte... payload) {
        return fpdu(tagged(WRITE, true, stag, offset, payload));
    }

    static byte[] send(int msn, byte... payload) {
        return fpdu(untagged(SEND, true, 0, 0, msn, 0, payload));
    }

    static byte[] readRequestUlpdu(
            int msn, int sinkStag, long sinkOffset, int bytes, int sourceStag, long sourceOffset) {
        byte[] header = ByteBuffer.allocate(28)
                .putInt(sinkStag)
                .putLong(sinkOffset)
                .putInt(bytes)
                .putInt(sourceStag)
                .putLong(sourceOffset)
                .array();
        return untagged(READ_REQUEST, true, 0, 1, msn, 0, header);
    }

    static byte[] readRequest(int msn, int sinkStag, long sinkOffset, int bytes, int sourceStag, long sourceOffset) {
        return fpdu(readRequestUlpdu(msn, sinkStag, sinkOffset, bytes, sourceStag, sourceOffset));
    }

    static byte[] readResponse(int stag, long offset, byte... payload) {
        return fpdu(tagged(READ_RESPONSE, true, stag, offset, payload));
    }

    static byte[] terminate(byte... body) {
        return fpdu(untagged(TERMINATE, true, 0, 2, 1, 0, body));
    }

    /** The ULPDUs of a stream of whole FPDUs without markers; their CRCs are checked if they are not 0. */
    static List<byte[]> ulpdus(byte[] stream) {
        List<byte[]> all = new ArrayList<>();
        ByteBuffer in = ByteBuffer.wrap(stream);
        while (in.remaining() >= 2) {
            int start = in.position();
            int length = in.getShort() & 0xFFFF;
            byte[] ulpdu = new byte[length];
            in.get(ulpdu);
            in.position(start + (2 + length + 3 & ~3));
            int crc = in.order(ByteOrder.LITTLE_ENDIAN).getInt();
            in.order(ByteOrder.BIG_ENDIAN);
            byte[] whole = Arrays.copyOfRange(stream, start, in.position());
            if (crc != 0 && !Arrays.equals(whole, fpdu(ulpdu))) {
                throw new AssertionError("wrong CRC or pad at " + start);
            }
            all.add(ulpdu);
        }
        if (in.hasRemaining()) {
            throw new AssertionError(in.remaining() + " bytes behind the last FPDU");
        }
        return all;
    }

    /** The ULPDU of the Terminate that ends a stream of FPDUs, or null. */
    static byte[] terminateAtEnd(byte[] stream) {
        List<byte[]> all = ulpdus(stream);
        if (all.isEmpty() || (all.getLast()[1] & 0xF) != TERMINATE) {
            return null;
        }
        assertThat(all.getLast()).startsWith(untagged(TERMINATE, true, 0, 2, 1, 0));
        return all.getLast();
    }

    /** The error of that Terminate as {@code layer/type/code}, in the RFC's form; {@code none} if there is none. */
    static String terminateCodeAtEnd(byte[] stream) {
        byte[] ulpdu = terminateAtEnd(stream);
        return ulpdu == null
                ? "none"
                : (ulpdu[18] >> 4 & 0xF) + "/" + (ulpdu[18] & 0xF) + "/" + Integer.toHexString(ulpdu[19] & 0xFF);
    }

    static byte[] pattern(int length, int seed) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (seed + i * 7 + (i >>> 8) * 13);
        }
        return bytes;
    }

    static int fpduBytes(int ulpdu) {
        return MpaFpdu.fpduBytes(ulpdu);
    }
}
