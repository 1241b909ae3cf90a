package io.jrdma.ib;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.ib.TestNode.Link;
import io.jrdma.verbs.AddressVector;
import io.jrdma.verbs.AsyncEvent;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.QpType;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.ManagementPort;
import io.jrdma.verbs.spi.TransportProvider;
import io.jrdma.wire.ib.Bth;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

/** What a device does for all its queue pairs. */
class IbDeviceTest {
    @Test
    void theServiceLoaderFindsTheTransport() {
        assertThat(ServiceLoader.load(TransportProvider.class))
                .extracting(TransportProvider::transport)
                .contains(Transport.ROCE_V2);
    }

    @Test
    void queuePairsSendInTurns() {
        IbPair pair = new IbPair(1, TestNode.options(), 1 << 21);
        pair.network.record = true;
        List<QueuePairCore> cores = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            QueuePairCore core = pair.left.newQueuePair(TestNode.options(), 0x1000 + i);
            QueuePairCore peer = pair.right.newQueuePair(TestNode.options(), 0x2000 + i);
            Link link = Link.DEFAULT.withMtu(4096);
            TestNode.connect(core, pair.right, 0x2000 + i, link, link);
            TestNode.connect(peer, pair.left, 0x1000 + i, link, link);
            cores.add(core);
        }
        for (QueuePairCore core : cores) {
            core.postSend(new SendWr()
                    .opcode(WrOpcode.RDMA_WRITE)
                    .remote(pair.right.address(0), pair.right.key)
                    .addSge(pair.left.address(0), 1 << 21, pair.left.key));
        }
        pair.run();
        assertThat(pair.left.sendCompletions()).hasSize(3);
        int[] sent = new int[3];
        for (TestNetwork.Sent packet : pair.network.sent) {
            if (packet.from() == 0) {
                sent[Bth.destQp(packet.segment(), 0) - 0x2000]++;
                int most = Math.max(sent[0], Math.max(sent[1], sent[2]));
                int least = Math.min(sent[0], Math.min(sent[1], sent[2]));
                // never more than two turns of 64 packets ahead of another
                assertThat(most - least).isLessThanOrEqualTo(130);
            }
        }
        assertThat(sent).containsOnly(512);
    }

    @Test
    void equalPacketsOfManyMessagesMakeOneTrain() {
        IbPair pair = new IbPair().connect();
        pair.right.postReceive(1, 0, 10);
        for (int i = 0; i < 16; i++) {
            pair.left.qp.postSend(pair.left.write(i, 0, 64, pair.right, 0));
        }
        pair.run();
        assertThat(pair.left.sink.packets).isEqualTo(16);
        assertThat(pair.left.sink.commits).isEqualTo(1);
        // one ACK for all of them
        assertThat(pair.right.sink.packets).isEqualTo(1);
        pair.left.qp.postSend(pair.left.send(17, 0, 10));
        pair.run();
        pair.left.sink.commits = 0;
        pair.left.qp.postSend(pair.left.write(18, 0, 15 * 1024, pair.right, 0));
        pair.run();
        // the first packet has a RETH more; then 14 of one size
        assertThat(pair.left.sink.commits).isLessThanOrEqualTo(2);
    }

    @Test
    void queuePairsToOnePeerKeepTheirTrafficClassAndHopLimit() {
        IbPair pair = new IbPair();
        AddressVector[] vectors = new AddressVector[2];
        List<QueuePairCore> senders = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            vectors[i] = new AddressVector(pair.right.localAddress(), 0x68 + i * 0x50, 17 + i, 0);
            QueuePairCore sender = pair.left.newQueuePair(TestNode.options(), 0x300 + i);
            QueuePairCore receiver = pair.right.newQueuePair(TestNode.options(), 0x400 + i);
            TestNode.connect(receiver, pair.left, sender.qpNum(), Link.DEFAULT, Link.DEFAULT);
            TestNode.toInit(sender);
            TestNode.toRtr(sender, vectors[i], receiver.qpNum(), 0, Link.DEFAULT);
            TestNode.toRts(sender, Link.DEFAULT);
            senders.add(sender);
        }
        pair.network.record = true;
        for (int round = 0; round < 3; round++) {
            for (QueuePairCore sender : senders) {
                sender.postSend(pair.left.write(round, 0, 64, pair.right, 0));
            }
            // as the connection manager does
            pair.left.device.management().send(pair.right.localAddress(), new byte[ManagementPort.MAD_BYTES]);
            pair.run();
        }
        assertThat(pair.left.sendCompletions())
                .hasSize(6)
                .allMatch(text -> text.contains(" SUCCESS "), "all were acknowledged");
        for (TestNetwork.Sent packet : pair.network.sent) {
            if (packet.from() == 0) {
                int destQp = Bth.destQp(packet.segment(), 0);
                assertThat(packet.to())
                        .isEqualTo(
                                destQp == Bth.QP_GSI
                                        ? AddressVector.to(pair.right.localAddress())
                                        : vectors[destQp - 0x400]);
            }
        }
    }

    @Test
    void whatDoesNotFitIsRefusedAndChangesNothing() {
        IbPair pair = new IbPair();
        pair.left.interfaceMtu = 1500;
        TestNode.toInit(pair.left.qp);
        assertThatThrownBy(
                        () -> TestNode.toRtr(pair.left.qp, pair.right.localAddress(), 1, 0, Link.DEFAULT.withMtu(2048)))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("2048");
        assertThatThrownBy(() ->
                        TestNode.toRtr(pair.left.qp, pair.right.localAddress(), 1, 0, Link.DEFAULT.withDepths(1, 129)))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("129");
        assertThat(pair.left.qp.state()).isEqualTo(QpState.INIT);
        assertThat(pair.left.pins).isZero();
        QueuePairOptions uc = new QueuePairOptions(QpType.UC, null, null, 1, 1, 1, 1, 0, false, null);
        assertThatThrownBy(() -> pair.left.newQueuePair(uc, 77)).isInstanceOf(VerbsException.class);
    }

    @Test
    void aQueuePairStartsAgainAfterReset() {
        IbPair pair = new IbPair().connect();
        pair.network.rule = packet -> true;
        pair.left.qp.postSend(pair.left.write(1, 0, 5000, pair.right, 0));
        pair.left.qp.postSend(pair.left.read(2, 0, 5000, pair.right, 0));
        pair.runFor(1_000_000);
        for (TestNode node : List.of(pair.left, pair.right)) {
            node.qp.modify(QpAttributes.state(QpState.RESET));
            assertThat(node.pins).isZero();
            assertThat(node.device.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
        }
        assertThat(pair.left.sendCompletions()).isEmpty();
        pair.network.rule = TestNetwork.NO_RULE;
        Link link = Link.DEFAULT.withPsn(0xABCDEF);
        pair.connect(link, link);
        pair.right.postReceive(3, 0, 5000);
        pair.left.postSend(3, 0, 5000);
        pair.left.qp.postSend(pair.left.read(4, 0, 5000, pair.right, 0));
        pair.run();
        assertThat(pair.left.sendCompletions()).containsExactly("3 SUCCESS SEND 5000", "4 SUCCESS RDMA_READ 5000");
        assertThat(pair.right.receiveCompletions()).containsExactly("3 SUCCESS RECV 5000");
    }

    @Test
    void aPortThatIsGoneFailsItsQueuePairs() {
        IbPair pair = new IbPair().connect();
        pair.network.rule = packet -> true;
        pair.left.postSend(1, 0, 10);
        pair.runFor(10);
        pair.left.device.onClosed(pair.clock.nowNs());
        assertThat(pair.left.qp.state()).isEqualTo(QpState.ERROR);
        assertThat(pair.left.sendCompletions()).containsExactly("1 WR_FLUSH_ERR SEND 0");
        assertThat(pair.left.eventTypes()).containsExactly(AsyncEvent.Type.QP_FATAL);
        assertThat(pair.left.device.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
        pair.left.qp.destroy();
    }
}
