package io.jrdma.wire;

import io.jrdma.wire.cm.CmApr;
import io.jrdma.wire.cm.CmAttribute;
import io.jrdma.wire.cm.CmBytes;
import io.jrdma.wire.cm.CmDecoded;
import io.jrdma.wire.cm.CmDrep;
import io.jrdma.wire.cm.CmDreq;
import io.jrdma.wire.cm.CmLap;
import io.jrdma.wire.cm.CmMad;
import io.jrdma.wire.cm.CmMalformed;
import io.jrdma.wire.cm.CmMra;
import io.jrdma.wire.cm.CmPath;
import io.jrdma.wire.cm.CmRej;
import io.jrdma.wire.cm.CmRejReason;
import io.jrdma.wire.cm.CmRep;
import io.jrdma.wire.cm.CmReq;
import io.jrdma.wire.cm.CmRtu;
import io.jrdma.wire.cm.CmSidrRep;
import io.jrdma.wire.cm.CmSidrReq;
import io.jrdma.wire.cm.IpCmPrivateData;
import io.jrdma.wire.cm.MadHeader;
import io.jrdma.wire.cm.ServiceId;
import io.jrdma.wire.cm.SidrStatus;
import io.jrdma.wire.ib.AckTimeout;
import io.jrdma.wire.ib.Bth;
import io.jrdma.wire.ib.PathMtu;
import java.lang.foreign.MemorySegment;

/** The management datagrams of {@link PacketPrinter}; fields that are zero in all ordinary messages are shown only if they are not. */
final class CmPrinter {
    private CmPrinter() {}

    static String mad(MemorySegment segment, long at, long length) {
        int bytes = (int) Math.min(length, Integer.MAX_VALUE);
        Line line = new Line();
        switch (CmMad.decode(segment, at, bytes)) {
            case CmDecoded.Refused refused -> refused(line, refused.reason(), segment, at, bytes);
            case CmMad mad -> {
                line.word(CmAttribute.name(mad.message().attributeId())).hex("tid", mad.transactionId());
                line.numberIfAny("modifier", Integer.toUnsignedLong(mad.attributeModifier()));
                line.numberIfAny("status", MadHeader.status(segment, at));
                message(line, mad);
            }
        }
        return line.toString();
    }

    private static void refused(Line line, CmMalformed reason, MemorySegment segment, long at, int length) {
        line.word("MAD").word(reason.name()).word(length + " bytes");
        if (length >= MadHeader.LENGTH) {
            line.number("base", MadHeader.baseVersion(segment, at));
            line.number("class", MadHeader.managementClass(segment, at));
            line.number("version", MadHeader.classVersion(segment, at));
            line.number("method", MadHeader.method(segment, at));
            line.hex("attribute", (short) MadHeader.attributeId(segment, at));
        }
        line.bytes(segment, at, length);
    }

    private static void message(Line line, CmMad mad) {
        switch (mad.message()) {
            case CmReq m -> req(line, m);
            case CmRep m -> rep(line, m);
            case CmMra m -> {
                commIds(line, m.localCommId(), m.remoteCommId()).word(messageName(m.messageMraed(), "LAP"));
                timeout(line, "service-timeout", m.serviceTimeout());
                privateData(line, m.privateData());
            }
            case CmRej m -> {
                commIds(line, m.localCommId(), m.remoteCommId()).word(messageName(m.messageRejected(), "no message"));
                line.word(CmRejReason.name(m.reason())).number("reason", m.reason());
                info(line, m.additionalRejectInfo(), m.rejectInfoLength());
                privateData(line, m.privateData());
            }
            case CmRtu m -> privateData(commIds(line, m.localCommId(), m.remoteCommId()), m.privateData());
            case CmDreq m -> {
                commIds(line, m.localCommId(), m.remoteCommId()).queuePair("remote-qp", m.remoteQpn());
                privateData(line, m.privateData());
            }
            case CmDrep m -> privateData(commIds(line, m.localCommId(), m.remoteCommId()), m.privateData());
            case CmSidrReq m -> {
                line.hex("request", m.requestId());
                service(line, m.serviceId());
                pKey(line, m.pKey());
                ipPrivateData(line, m.serviceId(), m.privateData());
            }
            case CmSidrRep m -> {
                line.hex("request", m.requestId());
                line.word(SidrStatus.name(m.status())).number("status", m.status());
                service(line, m.serviceId());
                line.queuePair("qp", m.qpn()).hex("qkey", m.qKey()).numberIfAny("vendor", m.vendorId());
                info(line, m.additionalInfo(), m.infoLength());
                privateData(line, m.privateData());
            }
            case CmLap m -> {
                commIds(line, m.localCommId(), m.remoteCommId()).queuePair("remote-qp", m.remoteQpn());
                timeout(line, "remote-timeout", m.remoteCmResponseTimeout());
                path(line, "alternate", m.alternate());
                privateData(line, m.privateData());
            }
            case CmApr m -> {
                commIds(line, m.localCommId(), m.remoteCommId()).number("status", m.status());
                info(line, m.additionalInfo(), m.infoLength());
                privateData(line, m.privateData());
            }
        }
    }

    private static void req(Line line, CmReq m) {
        line.hex("comm", m.localCommId());
        service(line, m.serviceId());
        line.word(transport(m)).queuePair("qp", m.localQpn()).number("psn", m.startingPsn());
        int mtu = m.pathMtu();
        line.number(PathMtu.isCode(mtu) ? "mtu" : "mtu-code", PathMtu.isCode(mtu) ? PathMtu.bytes(mtu) : mtu);
        line.number("resources", m.responderResources()).number("depth", m.initiatorDepth());
        line.number("retry", m.retryCount()).number("rnr-retry", m.rnrRetryCount());
        line.wordIf(m.endToEndFlowControl(), "flow-control").wordIf(m.srq(), "srq");
        line.wordIf(m.rdcExists(), "rdc").wordIf(m.sapSupported(), "sap");
        line.hex("guid", m.localCaGuid());
        line.numberIfAny("vendor", m.vendorId());
        qKey(line, m.localQKey());
        line.numberIfAny("local-eec", m.localEecn()).numberIfAny("remote-eec", m.remoteEecn());
        pKey(line, m.pKey());
        path(line, "path", m.primary());
        if (m.hasAlternate()) {
            path(line, "alternate", m.alternate());
        }
        timeout(line, "local-timeout", m.localCmResponseTimeout());
        timeout(line, "remote-timeout", m.remoteCmResponseTimeout());
        line.number("cm-retries", m.maxCmRetries());
        ipPrivateData(line, m.serviceId(), m.privateData());
    }

    private static void rep(Line line, CmRep m) {
        commIds(line, m.localCommId(), m.remoteCommId());
        line.queuePair("qp", m.localQpn()).number("psn", m.startingPsn());
        line.number("resources", m.responderResources()).number("depth", m.initiatorDepth());
        line.number("rnr-retry", m.rnrRetryCount());
        line.wordIf(m.endToEndFlowControl(), "flow-control").wordIf(m.srq(), "srq");
        timeout(line, "ack-delay", m.targetAckDelay());
        line.hex("guid", m.localCaGuid());
        line.numberIfAny("failover", m.failoverAccepted()).numberIfAny("vendor", m.vendorId());
        qKey(line, m.localQKey());
        line.numberIfAny("local-eec", m.localEecn());
        privateData(line, m.privateData());
    }

    private static String transport(CmReq m) {
        return switch (m.transportServiceType()) {
            case CmReq.TYPE_RC -> "RC";
            case CmReq.TYPE_UC -> "UC";
            case CmReq.TYPE_RD -> "RD";
            default ->
                m.extendedTransportType() == CmReq.EXTENDED_XRC ? "XRC" : "extended type " + m.extendedTransportType();
        };
    }

    private static String messageName(int message, String third) {
        return switch (message) {
            case 0 -> "of REQ";
            case 1 -> "of REP";
            case 2 -> "of " + third;
            default -> "of message " + message;
        };
    }

    /** The sender's id and the receiver's. */
    private static Line commIds(Line line, int local, int remote) {
        return line.hexPair("comm", local, remote);
    }

    private static void service(Line line, long serviceId) {
        String portSpace = switch (ServiceId.portSpace(serviceId)) {
            case ServiceId.PORT_SPACE_TCP -> "TCP";
            case ServiceId.PORT_SPACE_UDP -> "UDP";
            case ServiceId.PORT_SPACE_IB -> "IB";
            case ServiceId.PORT_SPACE_IPOIB -> "IPOIB";
            default -> "";
        };
        if (portSpace.isEmpty()) {
            line.hex("service", serviceId);
        } else {
            line.word("service").number(portSpace, ServiceId.port(serviceId));
        }
    }

    private static boolean isIpService(long serviceId) {
        int portSpace = ServiceId.portSpace(serviceId);
        return portSpace >>> 8 == 1 || portSpace == ServiceId.PORT_SPACE_IPOIB;
    }

    private static void pKey(Line line, int pKey) {
        if (pKey != Bth.DEFAULT_P_KEY) {
            line.hex("pkey", (short) pKey);
        }
    }

    private static void qKey(Line line, int qKey) {
        if (qKey != 0) {
            line.hex("qkey", qKey);
        }
    }

    private static void path(Line line, String name, CmPath path) {
        line.word(name).word(path.localGid() + ">" + path.remoteGid());
        line.number("flow", path.flowLabel())
                .number("class", path.trafficClass())
                .number("hops", path.hopLimit());
        timeout(line, "ack-timeout", path.localAckTimeout());
    }

    private static void timeout(Line line, String name, int exponent) {
        line.time(name, AckTimeout.toNanos(exponent));
    }

    private static void info(Line line, CmBytes info, int length) {
        if (length > 0) {
            line.bytes("info", info.resize(Math.min(length, info.length())).toByteArray());
        }
    }

    /** What the RDMA IP CM service puts in front of the consumer's data, if the service id is one of its. */
    private static void ipPrivateData(Line line, long serviceId, CmBytes data) {
        if (!isIpService(serviceId)) {
            privateData(line, data);
            return;
        }
        CmMalformed malformed = IpCmPrivateData.check(data);
        if (malformed != CmMalformed.OK) {
            line.word(malformed.name());
            privateData(line, data);
            return;
        }
        IpCmPrivateData header = IpCmPrivateData.of(data);
        line.word("from").word(header.source().toString()).number("port", header.sourcePort());
        line.word("to").word(header.destination().toString());
        privateData(line, IpCmPrivateData.consumerData(data));
    }

    /** Without the zeros behind it, which nobody can tell from no data. */
    private static void privateData(Line line, CmBytes data) {
        byte[] bytes = data.toByteArray();
        int length = bytes.length;
        while (length > 0 && bytes[length - 1] == 0) {
            length--;
        }
        if (length > 0) {
            line.bytes("private", data.resize(length).toByteArray());
        }
    }
}
