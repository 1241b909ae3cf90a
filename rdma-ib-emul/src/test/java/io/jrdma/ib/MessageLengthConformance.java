package io.jrdma.ib;

import static io.jrdma.ib.PacketBuilder.bytes;
import static io.jrdma.ib.PacketBuilder.packet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.ib.TestNode.Link;
import io.jrdma.testing.Satisfies;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.PostException;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.wire.ib.Bth;
import io.jrdma.wire.ib.IbOpcode;
import io.jrdma.wire.ib.Reth;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A message of 2^31 bytes is the longest that there is (IBTA volume 1, 9.7.3). The memory is a file that is almost all holes. */
@Satisfies("IBTA-9.7.3-5")
class MessageLengthConformance {
    private static final long MOST = 1L << 31;
    private static final int MTU = 4096;
    private static final int SGES = 16;
    private static final String ACK = "00";
    private static final String INVALID = "61";

    @TempDir
    Path directory;

    private final RawPeer peer = new RawPeer(TestNode.options().withSges(4, SGES));
    private final TestNode node = peer.node;
    private final Arena arena = Arena.ofShared();
    private long address;
    private int key;

    @BeforeEach
    void memory() throws IOException {
        try (FileChannel file = FileChannel.open(
                directory.resolve("memory"),
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.SPARSE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            MemorySegment memory = file.map(FileChannel.MapMode.READ_WRITE, 0, MOST + MTU, arena);
            address = memory.address();
            key = node.table.register(TestNode.PD, memory, TestNode.ALL);
        }
        peer.connect(Link.DEFAULT.withMtu(MTU));
    }

    @AfterEach
    void unmap() {
        arena.close();
    }

    private SendWr request(WrOpcode opcode) {
        return new SendWr()
                .id(1)
                .opcode(opcode)
                .remote(0x1234_5678_9ABCL, 0xBEEF)
                .addSge(address, MOST, key);
    }

    @ParameterizedTest
    @EnumSource(
            value = WrOpcode.class,
            names = {"SEND", "SEND_WITH_IMM", "SEND_WITH_INV", "RDMA_WRITE", "RDMA_WRITE_WITH_IMM", "RDMA_READ"})
    void aLongerOneIsNotPosted(WrOpcode opcode) {
        assertThatThrownBy(() -> node.qp.postSend(request(opcode).addSge(address, 1, key)))
                .isInstanceOfSatisfying(
                        PostException.class,
                        refused -> assertThat(refused.errno()).isEqualTo(Errno.EINVAL))
                .hasMessageContaining("message of 2147483649 bytes; allowed are 2147483648");
        assertThat(peer.out()).isEmpty();
        assertThat(peer.state()).isEqualTo(QpState.RTS);
        node.qp.postSend(node.send(2, 0, 1));
        assertThat(peer.outText()).containsExactly("RC_SEND_ONLY 0 [1] A");
    }

    @Test
    void theLongestIsAnnouncedToThePeer() {
        node.qp.postSend(request(WrOpcode.RDMA_WRITE));
        var first = peer.out().getFirst();
        assertThat(first.opcode()).isEqualTo(IbOpcode.RDMA_WRITE_FIRST);
        assertThat(Reth.dmaLength(first.segment(), Bth.LENGTH)).isEqualTo(MOST);
    }

    private void answered(int psn, String syndrome) {
        assertThat(peer.outText()).hasSize(1).first().asString().startsWith("RC_ACKNOWLEDGE " + psn + " " + syndrome);
    }

    @Test
    void aLongerWriteIsAnInvalidRequest() {
        peer.in(packet(IbOpcode.RDMA_WRITE_FIRST, 0, bytes(MTU))
                .reth(address, key, MOST + 1)
                .ackRequest());
        answered(0, INVALID);
        assertThat(peer.state()).isEqualTo(QpState.ERROR);
    }

    @Test
    void theLongestWriteIsExecuted() {
        peer.in(packet(IbOpcode.RDMA_WRITE_FIRST, 0, bytes(MTU))
                .reth(address, key, MOST)
                .ackRequest());
        answered(0, ACK);
    }

    @Test
    void aLongerReadIsAnInvalidRequest() {
        peer.in(packet(IbOpcode.RDMA_READ_REQUEST, 0).reth(address, key, MOST + 1));
        answered(0, INVALID);
        assertThat(peer.state()).isEqualTo(QpState.ERROR);
    }

    @Test
    void theLongestReadIsAnswered() {
        byte[] request =
                packet(IbOpcode.RDMA_READ_REQUEST, 0).reth(address, key, MOST).build();
        node.device.onPacket(RawPeer.SOURCE, MemorySegment.ofArray(request), 0, request.length, 0, peer.clock.nowNs());
        // the first packets will do
        node.sink.begin();
        node.device.pollTransmit(node.sink, MTU, peer.clock.nowNs());
        assertThat(RawPeer.text(peer.network.sent.getFirst())).isEqualTo("RC_RDMA_READ_RESPONSE_FIRST 0 00/1 [4096]");
    }

    /** However large the receive is. */
    @Test
    void aLongerSendIsAnInvalidRequest() {
        RecvWr receive = new RecvWr().id(1);
        long part = MOST / SGES + MTU;
        for (int i = 0; i < SGES; i++) {
            receive.addSge(address, part, key);
        }
        node.qp.postReceive(receive);
        int packets = (int) (MOST / MTU);
        byte[] middle = packet(IbOpcode.SEND_MIDDLE, 0, bytes(MTU)).build();
        MemorySegment segment = MemorySegment.ofArray(middle);
        for (int psn = 0; psn < packets; psn++) {
            int opcode = psn == 0 ? IbOpcode.SEND_FIRST : IbOpcode.SEND_MIDDLE;
            Bth.put(segment, 0, opcode, 0, 0, Bth.DEFAULT_P_KEY, RawPeer.QP, psn);
            node.device.onPacket(RawPeer.SOURCE, segment, 0, middle.length, 0, peer.clock.nowNs());
        }
        assertThat(peer.out()).isEmpty();
        peer.in(packet(IbOpcode.SEND_LAST, packets, bytes(1)).ackRequest());
        answered(packets, INVALID);
        assertThat(node.receiveCompletions()).containsExactly("1 LOC_LEN_ERR RECV 0");
    }
}
