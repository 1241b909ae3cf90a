package io.jrdma.wire.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.Pcap;
import io.jrdma.testing.Satisfies;
import io.jrdma.testing.UdpDatagram;
import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every packet that two Linux rxe peers exchanged is decoded into fields, and these are encoded again to the same bytes.
 *
 * <p>Carried over as it is, because no field describes it: the payload.
 */
class RxeCaptureTest {
    /** All RoCE packets of a capture. */
    static List<UdpDatagram> packets(String capture) {
        return Pcap.capture(capture).udpDatagrams().stream()
                .filter(datagram -> datagram.target().getPort() == RoceV2Packet.UDP_PORT)
                .toList();
    }

    @Satisfies({"IBTA-A17-1", "IBTA-A17-4"})
    @ParameterizedTest
    @CsvSource({
        "rxe-rping, 308",
        "rxe-rc-pingpong, 88",
        "rxe-ud-pingpong, 16",
        "rxe-srq-pingpong, 50",
        "rxe-atomic-fetchadd, 20",
        "rxe-read-lat-cm, 88",
        "rxe-ucmatose, 42",
        "rxe-rdma-client, 11",
        "rxe-rstream, 64"
    })
    void everyByteDecodesAndEncodesToItself(String name, int expected) {
        List<UdpDatagram> packets = packets(name);
        assertThat(packets.size()).isEqualTo(expected);
        for (UdpDatagram datagram : packets) {
            byte[] bytes = datagram.payload();
            MemorySegment packet = MemorySegment.ofArray(bytes);
            assertThat(RoceV2Packet.check(packet, 0, bytes.length)).isEqualTo(IbMalformed.OK);
            int opcode = Bth.opcode(packet, 0);
            int payloadBytes = RoceV2Packet.payloadBytes(packet, 0, bytes.length);
            assertThat(RoceV2Packet.length(opcode, payloadBytes)).isEqualTo(bytes.length);
            assertThat(IbOpcode.payloadFits(opcode, payloadBytes, 1024))
                    .as("%s with %d", IbOpcode.name(opcode), payloadBytes)
                    .isTrue();
            int icrc = ReferenceIcrc.of(datagram.ip().bytes());
            assertThat(RoceV2Packet.icrc(packet, 0, bytes.length)).isEqualTo(icrc);
            assertThat(encode(packet, icrc).mismatch(packet))
                    .as("first byte that differs")
                    .isEqualTo(-1);
        }
    }

    private static MemorySegment encode(MemorySegment packet, int icrc) {
        int length = (int) packet.byteSize();
        MemorySegment copy = MemorySegment.ofArray(new byte[length]);
        copy.fill((byte) 0x5A);
        int payloadBytes = RoceV2Packet.payloadBytes(packet, 0, length);
        int at = head(packet, copy);
        MemorySegment.copy(packet, at, copy, at, payloadBytes);
        RoceV2Packet.putPad(copy, (long) at + payloadBytes, Bth.padBytes(packet, 0));
        RoceV2Packet.putIcrc(copy, 0, length, icrc);
        return copy;
    }

    private static int head(MemorySegment packet, MemorySegment copy) {
        Bth.View h = Bth.view(packet, 0);
        int opcode = h.opcode();
        int pad = h.padBytes();
        if (opcode == IbOpcode.UD_SEND_ONLY) {
            Deth.View deth = Deth.view(packet, IbOpcode.dethAt(opcode));
            return RoceV2Head.putDatagram(
                    copy, 0, h.flags(), pad, h.pKey(), h.destQp(), h.psn(), deth.qKey(), deth.sourceQp());
        }
        assertThat(IbOpcode.transport(opcode)).isIn(IbOpcode.RC, IbOpcode.UC);
        if (IbOpcode.isAtomic(opcode)) {
            AtomicEth.View a = AtomicEth.view(packet, IbOpcode.atomicEthAt(opcode));
            return RoceV2Head.putAtomic(
                    copy,
                    0,
                    opcode,
                    h.flags(),
                    h.pKey(),
                    h.destQp(),
                    h.psn(),
                    a.virtualAddress(),
                    a.rkey(),
                    a.swapOrAdd(),
                    a.compare());
        }
        if (IbOpcode.hasAeth(opcode)) {
            Aeth.View aeth = Aeth.view(packet, IbOpcode.aethAt(opcode));
            int originalAt = IbOpcode.atomicAckEthAt(opcode);
            return originalAt == 0
                    ? RoceV2Head.putAeth(
                            copy,
                            0,
                            opcode,
                            h.flags(),
                            pad,
                            h.pKey(),
                            h.destQp(),
                            h.psn(),
                            aeth.syndrome(),
                            aeth.aethMsn())
                    : RoceV2Head.putAtomicAck(
                            copy,
                            0,
                            opcode,
                            h.flags(),
                            h.pKey(),
                            h.destQp(),
                            h.psn(),
                            aeth.syndrome(),
                            aeth.aethMsn(),
                            AtomicAckEth.originalValue(packet, originalAt));
        }
        if (IbOpcode.hasReth(opcode)) {
            Reth.View r = Reth.view(packet, IbOpcode.rethAt(opcode));
            return IbOpcode.hasImmDt(opcode)
                    ? RoceV2Head.putRethImmDt(
                            copy,
                            0,
                            opcode,
                            h.flags(),
                            pad,
                            h.pKey(),
                            h.destQp(),
                            h.psn(),
                            r.virtualAddress(),
                            r.rkey(),
                            r.dmaLength(),
                            ImmDt.immediate(packet, IbOpcode.immDtAt(opcode)))
                    : RoceV2Head.putReth(
                            copy,
                            0,
                            opcode,
                            h.flags(),
                            pad,
                            h.pKey(),
                            h.destQp(),
                            h.psn(),
                            r.virtualAddress(),
                            r.rkey(),
                            r.dmaLength());
        }
        int wordAt = IbOpcode.hasImmDt(opcode) ? IbOpcode.immDtAt(opcode) : IbOpcode.iethAt(opcode);
        return wordAt == 0
                ? RoceV2Head.put(copy, 0, opcode, h.flags(), pad, h.pKey(), h.destQp(), h.psn())
                : RoceV2Head.putWithWord(
                        copy, 0, opcode, h.flags(), pad, h.pKey(), h.destQp(), h.psn(), Bytes.u32(packet, wordAt));
    }
}
