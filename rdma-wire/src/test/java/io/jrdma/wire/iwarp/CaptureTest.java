package io.jrdma.wire.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.Pcap;
import io.jrdma.testing.TcpConnection;
import io.jrdma.wire.Malformed;
import io.jrdma.wire.PacketPrinter;
import io.jrdma.wire.crc.Crc32c;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every MPA, DDP and RDMAP byte that two Linux siw peers exchanged is decoded into fields, and these are encoded again to the same
 * bytes.
 *
 * <p>Carried over as they are, because no field describes them: private data, payload, and the pad, which siw does not clear. The
 * CRC field is computed where CRCs are in use and otherwise written from its field: siw leaves it 0.
 */
class CaptureTest {
    @ParameterizedTest
    @CsvSource({"siw-rping, 1, 35", "siw-rping6, 1, 21", "siw-read-lat-cm, 2, 47", "siw-rdma-client, 1, 2"})
    void everyByteDecodesAndEncodesToItself(String name, int connections, int fpdus) {
        int seen = 0;
        var all = Pcap.capture(name).tcpConnections();
        assertThat(all).hasSize(connections);
        for (TcpConnection connection : all) {
            assertThat(connection.toServer().finished()).isTrue();
            assertThat(connection.toClient().finished()).isTrue();
            MemorySegment request = MemorySegment.ofArray(connection.toServer().bytes());
            MemorySegment reply = MemorySegment.ofArray(connection.toClient().bytes());
            boolean crc = MpaStartup.wantsCrc(request, 0) || MpaStartup.wantsCrc(reply, 0);
            seen += stream(request, MpaStartup.REQUEST, crc);
            seen += stream(reply, MpaStartup.REPLY, crc);
        }
        assertThat(seen).isEqualTo(fpdus);
    }

    private static int stream(MemorySegment stream, int kind, boolean crc) {
        MemorySegment copy = MemorySegment.ofArray(new byte[(int) stream.byteSize()]);
        int fpdus = 0;
        int length = MpaStartup.check(stream, 0, stream.byteSize(), kind);
        assertThat(length).isPositive();
        encodeStartup(stream, copy);
        long at = length;
        while (at < stream.byteSize()) {
            length = MpaFpdu.check(stream, at, stream.byteSize() - at);
            assertThat(length).as("at %d", at).isPositive();
            int ulpduLength = MpaFpdu.ulpduLength(stream, at);
            assertThat(DdpSegment.check(stream, at + 2, ulpduLength, RdmapOpcode.RFC5040))
                    .isEqualTo(Malformed.OK);
            assertThat(PacketPrinter.mpa(stream, at, stream.byteSize() - at)).startsWith("FPDU len " + ulpduLength);
            encodeFpdu(stream, copy, at, crc);
            at += length;
            fpdus++;
        }
        assertThat(copy.mismatch(stream)).as("first byte that differs").isEqualTo(-1);
        return fpdus;
    }

    private static void encodeStartup(MemorySegment stream, MemorySegment copy) {
        MpaStartup.View view = MpaStartup.view(stream, 0);
        int privateDataBytes = MpaStartup.privateDataBytes(stream, 0);
        if (view.enhanced()) {
            int flags = view.flags() & ~MpaStartup.ENHANCED;
            MpaStartup.putEnhanced(
                    copy, 0, view.kind(), flags, view.controlFlags(), view.ird(), view.ord(), privateDataBytes);
        } else {
            MpaStartup.put(copy, 0, view.kind(), view.flags(), view.revision(), privateDataBytes);
        }
        long privateDataAt = MpaStartup.privateDataAt(copy, 0);
        MemorySegment.copy(stream, privateDataAt, copy, privateDataAt, privateDataBytes);
    }

    private static void encodeFpdu(MemorySegment stream, MemorySegment copy, long at, boolean crc) {
        MpaFpdu.View fpdu = MpaFpdu.view(stream, at);
        MpaFpdu.put(copy, at, fpdu.ulpduLength());
        encodeSegment(stream, copy, at + MpaFpdu.LENGTH, fpdu.ulpduLength());
        long padAt = at + MpaFpdu.LENGTH + fpdu.ulpduLength();
        MemorySegment.copy(stream, padAt, copy, padAt, fpdu.padBytes());
        MpaFpdu.putCrc(copy, at, crc ? MpaFpdu.computeCrc(copy, at, new Crc32c()) : fpdu.crc());
    }

    private static void encodeSegment(MemorySegment stream, MemorySegment copy, long at, int length) {
        switch (DdpHeader.view(stream, at)) {
            case DdpHeader.Tagged h ->
                DdpHeader.putTagged(copy, at, h.last(), control(h.rdmapControl()), h.stag(), h.taggedOffset());
            case DdpHeader.Untagged h ->
                DdpHeader.putUntagged(
                        copy,
                        at,
                        h.last(),
                        control(h.rdmapControl()),
                        h.ulpWord(),
                        h.queueNumber(),
                        h.ddpMsn(),
                        h.messageOffset());
        }
        long body = at + DdpSegment.bodyAt(copy, at);
        int opcode = RdmapHeader.opcode(copy, at);
        if (opcode == RdmapOpcode.RDMA_READ_REQUEST) {
            ReadRequestHeader.View h = ReadRequestHeader.view(stream, body);
            ReadRequestHeader.put(
                    copy,
                    body,
                    h.sinkStag(),
                    h.sinkTaggedOffset(),
                    h.readBytes(),
                    h.sourceStag(),
                    h.sourceTaggedOffset());
        } else {
            assertThat(RdmapOpcode.mayBeSegmented(opcode))
                    .as("no other message is in these captures")
                    .isTrue();
            MemorySegment.copy(stream, body, copy, body, DdpSegment.payloadBytes(stream, at, length));
        }
    }

    /** Encodes the RDMAP control byte from its fields. */
    private static int control(int rdmapControl) {
        return RdmapHeader.control(RdmapHeader.opcodeOf(rdmapControl));
    }
}
