package io.jrdma.cm.ib;

import io.jrdma.testing.Pcap;
import io.jrdma.testing.UdpDatagram;
import io.jrdma.wire.cm.CmDrep;
import io.jrdma.wire.cm.CmDreq;
import io.jrdma.wire.cm.CmMad;
import io.jrdma.wire.cm.CmMessage;
import io.jrdma.wire.cm.CmRep;
import io.jrdma.wire.cm.CmReq;
import io.jrdma.wire.cm.CmRtu;
import io.jrdma.wire.ib.Bth;
import io.jrdma.wire.ib.RoceV2Packet;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/** What two rxe peers said to each other about one connection, in the order of the capture. */
record RxeConversation(InetAddress client, InetAddress server, List<Said> said) {
    /** A message and who sent it. */
    record Said(boolean byClient, CmMad mad) {
        CmMessage message() {
            return mad.message();
        }
    }

    /** All conversations of a capture. */
    static List<RxeConversation> of(String capture) {
        List<RxeConversation> all = new ArrayList<>();
        for (UdpDatagram datagram : Pcap.capture(capture).udpDatagrams()) {
            MemorySegment packet = MemorySegment.ofArray(datagram.payload());
            if (datagram.target().getPort() != RoceV2Packet.UDP_PORT || Bth.destQp(packet, 0) != Bth.QP_GSI) {
                continue;
            }
            CmMad mad = (CmMad) CmMad.decode(
                    packet,
                    RoceV2Packet.payloadAt(packet, 0),
                    RoceV2Packet.payloadBytes(packet, 0, datagram.payload().length));
            InetAddress from = datagram.source().getAddress();
            if (mad.message() instanceof CmReq) {
                all.add(new RxeConversation(from, datagram.target().getAddress(), new ArrayList<>()));
            }
            for (RxeConversation each : all) {
                if (each.said.isEmpty() || each.isAbout(mad.message())) {
                    each.said.add(new Said(from.equals(each.client), mad));
                    break;
                }
            }
        }
        return all;
    }

    CmReq req() {
        return (CmReq) said.getFirst().message();
    }

    CmRep rep() {
        return said.stream()
                .filter(each -> each.message() instanceof CmRep)
                .map(each -> (CmRep) each.message())
                .findFirst()
                .orElseThrow();
    }

    private boolean isAbout(CmMessage message) {
        int id = req().localCommId();
        return switch (message) {
            case CmRep rep -> rep.remoteCommId() == id;
            case CmRtu rtu -> rtu.localCommId() == id;
            case CmDreq dreq -> dreq.localCommId() == id || dreq.remoteCommId() == id;
            case CmDrep drep -> drep.localCommId() == id || drep.remoteCommId() == id;
            default -> false;
        };
    }

    /** The message as the same peer would send it to somebody with that ID and queue pair. */
    static CmMessage to(CmMessage message, int id, int qpNum) {
        return switch (message) {
            case CmRep rep ->
                CmRep.builder()
                        .localCommId(rep.localCommId())
                        .remoteCommId(id)
                        .localQpn(rep.localQpn())
                        .startingPsn(rep.startingPsn())
                        .responderResources(rep.responderResources())
                        .initiatorDepth(rep.initiatorDepth())
                        .targetAckDelay(rep.targetAckDelay())
                        .endToEndFlowControl(rep.endToEndFlowControl())
                        .rnrRetryCount(rep.rnrRetryCount())
                        .srq(rep.srq())
                        .localCaGuid(rep.localCaGuid())
                        .privateData(rep.privateData())
                        .build();
            case CmRtu rtu -> new CmRtu(rtu.localCommId(), id, rtu.privateData());
            case CmDreq dreq -> new CmDreq(dreq.localCommId(), id, qpNum, dreq.privateData());
            case CmDrep drep -> new CmDrep(drep.localCommId(), id, drep.privateData());
            default -> message;
        };
    }

    @Override
    public String toString() {
        return client.getHostAddress() + " with " + server.getHostAddress() + ", REQ 0x"
                + Integer.toHexString(req().localCommId());
    }
}
