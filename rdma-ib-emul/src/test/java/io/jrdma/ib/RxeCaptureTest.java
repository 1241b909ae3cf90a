package io.jrdma.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.ib.TestNode.Link;
import io.jrdma.testing.Pcap;
import io.jrdma.testing.UdpDatagram;
import io.jrdma.verbs.RecvWr;
import io.jrdma.wire.ib.Aeth;
import io.jrdma.wire.ib.AethSyndrome;
import io.jrdma.wire.ib.AtomicEth;
import io.jrdma.wire.ib.Bth;
import io.jrdma.wire.ib.IbOpcode;
import io.jrdma.wire.ib.Reth;
import io.jrdma.wire.ib.RoceV2Packet;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The requests that Linux rxe sent to another rxe, fed to this engine in the other's place: it answers with the same packets, opcode by
 * opcode, PSN by PSN, MSN by MSN. Keys and addresses in them are those of processes long gone and are replaced by ours.
 */
class RxeCaptureTest {
    /** Requests of one queue pair to another, and what that answered. */
    record Exchange(String name, List<byte[]> requests, List<byte[]> responses) {
        @Override
        public String toString() {
            return name + ", " + requests.size() + " requests";
        }
    }

    static List<Exchange> exchanges() {
        List<Exchange> all = new ArrayList<>();
        for (String name : List.of(
                "rxe-atomic-fetchadd",
                "rxe-rc-pingpong",
                "rxe-rdma-client",
                "rxe-read-lat-cm",
                "rxe-rping",
                "rxe-rstream",
                "rxe-srq-pingpong",
                "rxe-ucmatose")) {
            List<UdpDatagram> packets = Pcap.capture(name).udpDatagrams().stream()
                    .filter(packet -> packet.target().getPort() == RoceV2Packet.UDP_PORT)
                    .filter(packet -> IbOpcode.transport(packet.payload()[0] & 0xFF) == IbOpcode.RC)
                    .toList();
            Map<String, List<byte[]>> requests = new LinkedHashMap<>();
            Map<String, List<byte[]>> responses = new LinkedHashMap<>();
            for (UdpDatagram packet : packets) {
                byte[] bytes = packet.payload();
                boolean request = IbOpcode.isRequest(bytes[0] & 0xFF);
                String to = packet.target().getAddress().getHostAddress() + " " + destQp(bytes);
                (request ? requests : responses)
                        .computeIfAbsent(to, key -> new ArrayList<>())
                        .add(bytes);
            }
            requests.forEach((to, sent) -> {
                Set<Integer> psns = sent.stream().map(RxeCaptureTest::psn).collect(Collectors.toSet());
                // PSNs are random enough to tell which responses belong to these requests
                List<byte[]> answers = responses.values().stream()
                        .filter(list -> psns.contains(psn(list.get(0))))
                        .findFirst()
                        .orElse(List.of());
                boolean inOrder = answers.stream().noneMatch(RxeCaptureTest::isNak);
                if (!answers.isEmpty() && inOrder) {
                    all.add(new Exchange(name + " to " + to, sent, answers));
                }
            });
        }
        assertThat(all).hasSizeGreaterThan(8);
        return all;
    }

    private static int destQp(byte[] packet) {
        return Bth.destQp(MemorySegment.ofArray(packet), 0);
    }

    private static int psn(byte[] packet) {
        return Bth.psn(MemorySegment.ofArray(packet), 0);
    }

    private static boolean isNak(byte[] packet) {
        int opcode = packet[0] & 0xFF;
        return IbOpcode.hasAeth(opcode)
                && !AethSyndrome.isAck(Aeth.syndrome(MemorySegment.ofArray(packet), IbOpcode.aethAt(opcode)));
    }

    @ParameterizedTest
    @MethodSource("exchanges")
    void thisResponderAnswersAsRxeDid(Exchange exchange) {
        RawPeer peer = new RawPeer();
        peer.connect(Link.DEFAULT.withDepths(16, 16), psn(exchange.requests.get(0)), TestNode.RIGHTS);
        List<String> ours = new ArrayList<>();
        long id = 0;
        Set<Integer> seen = new HashSet<>();
        for (byte[] request : exchange.requests) {
            int opcode = request[0] & 0xFF;
            if (seen.add(psn(request)) && IbOpcode.consumesReceive(opcode)) {
                peer.node.qp.postReceive(
                        new RecvWr().id(id++).addSge(peer.node.address(1 << 19), 1 << 19, peer.node.key));
            }
            peer.node.device.onPacket(
                    RawPeer.SOURCE,
                    MemorySegment.ofArray(toUs(request, peer.node)),
                    0,
                    request.length,
                    0,
                    peer.clock.nowNs());
            peer.out().forEach(packet -> ours.add(text(packet.bytes())));
        }
        List<String> theirs =
                exchange.responses.stream().map(RxeCaptureTest::text).toList();
        // one capture ends before the last answer
        assertThat(ours).startsWith(theirs.toArray(String[]::new)).hasSizeLessThanOrEqualTo(theirs.size() + 1);
        assertThat(peer.node.receiveCompletions()).hasSize((int) id).allMatch(text -> text.contains("SUCCESS"));
        assertThat(peer.node.events).isEmpty();
    }

    private static byte[] toUs(byte[] request, TestNode node) {
        byte[] changed = request.clone();
        MemorySegment segment = MemorySegment.ofArray(changed);
        int opcode = changed[0] & 0xFF;
        Bth.put(
                segment,
                0,
                opcode,
                Bth.flags(segment, 0),
                Bth.padBytes(segment, 0),
                Bth.pKey(segment, 0),
                RawPeer.QP,
                Bth.psn(segment, 0));
        if (IbOpcode.hasReth(opcode)) {
            long at = IbOpcode.rethAt(opcode);
            Reth.put(segment, at, node.address(0), node.key, Reth.dmaLength(segment, at));
        } else if (IbOpcode.isAtomic(opcode)) {
            long at = IbOpcode.atomicEthAt(opcode);
            AtomicEth.put(
                    segment,
                    at,
                    node.address(0),
                    node.key,
                    AtomicEth.swapOrAdd(segment, at),
                    AtomicEth.compare(segment, at));
        }
        return changed;
    }

    private static String text(byte[] packet) {
        MemorySegment segment = MemorySegment.ofArray(packet);
        int opcode = packet[0] & 0xFF;
        return IbOpcode.name(opcode) + " " + Bth.psn(segment, 0)
                + (IbOpcode.hasAeth(opcode) ? " msn " + Aeth.aethMsn(segment, IbOpcode.aethAt(opcode)) : "")
                + " [" + RoceV2Packet.payloadBytes(segment, 0, packet.length) + "]";
    }
}
