package io.jrdma.cm.ib;

import io.jrdma.cm.transport.ConnectionOffer;
import io.jrdma.verbs.DeviceAttributes;
import io.jrdma.verbs.IbCmNegotiated;
import io.jrdma.verbs.IbCmOptions;
import io.jrdma.wire.cm.CmBytes;
import io.jrdma.wire.cm.CmPath;
import io.jrdma.wire.cm.CmRep;
import io.jrdma.wire.cm.CmReq;
import io.jrdma.wire.cm.Gid;
import io.jrdma.wire.cm.IpCmPrivateData;
import io.jrdma.wire.cm.ServiceId;
import io.jrdma.wire.ib.PathMtu;
import java.net.InetSocketAddress;

/** What REQ and REP say to each other (IBTA volume 1, 12.7 and 12.9.8.3): pure arithmetic. */
final class IbTerms {
    private IbTerms() {}

    /**
     * What the active side asks for.
     *
     * @param startingPsn where the peer's packet sequence numbers are to start
     * @param mtu payload bytes of a packet that fit this side's interface
     */
    static CmReq request(
            long caGuid,
            int localId,
            int qpNum,
            int startingPsn,
            int mtu,
            InetSocketAddress local,
            InetSocketAddress remote,
            ConnectionOffer offer) {
        IbCmOptions options = offer.ib();
        Gid from = Gid.of(local.getAddress().getAddress());
        Gid to = Gid.of(remote.getAddress().getAddress());
        return CmReq.builder()
                .localCommId(localId)
                // [IBTA-CM-A11-1]
                .serviceId(ServiceId.of(ServiceId.PORT_SPACE_TCP, remote.getPort()))
                .localCaGuid(caGuid)
                .localQpn(qpNum)
                .responderResources(offer.responderResources())
                .initiatorDepth(offer.initiatorDepth())
                .remoteCmResponseTimeout(options.responseTimeout())
                .localCmResponseTimeout(options.responseTimeout())
                .transportServiceType(CmReq.TYPE_RC)
                .endToEndFlowControl(offer.flowControl())
                .startingPsn(startingPsn)
                .retryCount(offer.retryCount())
                .pathMtu(PathMtu.code(mtu))
                .rnrRetryCount(offer.rnrRetryCount())
                .maxCmRetries(options.maxRetries())
                .primary(CmPath.roce(
                        from,
                        to,
                        flowLabel(local.getPort(), remote.getPort()),
                        options.trafficClass(),
                        options.hopLimit(),
                        CmTimes.ackTimeout(options.packetLifetime(), CmTimes.LOCAL_ACK_DELAY)))
                // [IBTA-CM-A11-1]
                .privateData(new IpCmPrivateData(local.getPort(), from, to).with(CmBytes.of(offer.privateData())))
                .build();
    }

    /** The flow label of a connection between two ports, as Linux computes it: one flow on every hop, many flows over all. */
    private static int flowLabel(int sourcePort, int destinationPort) {
        return ((31 * sourcePort) + destinationPort) & 0xF_FFFF;
    }

    /** What the passive side says yes to: as many Reads each way as both sides can do. */
    static IbCmNegotiated accepted(CmReq request, ConnectionOffer offer, int startingPsn) {
        // [IBTA-CM-12.7-5] the REQ's own
        int named = request.primary().localAckTimeout();
        int ackTimeout = named != 0 ? named : CmTimes.ackTimeout(offer.ib().packetLifetime(), CmTimes.LOCAL_ACK_DELAY);
        return new IbCmNegotiated(
                request.localQpn(),
                PathMtu.bytes(request.pathMtu()), // [IBTA-CM-12.7-3]
                request.startingPsn(), // [IBTA-CM-12.7-1]
                startingPsn,
                ackTimeout,
                request.retryCount(), // [IBTA-CM-12.7-4]
                request.rnrRetryCount(),
                Math.min(offer.responderResources(), request.initiatorDepth()),
                // [IBTA-CM-12.7-2]
                Math.min(offer.initiatorDepth(), request.responderResources()));
    }

    /** The reply that says so. */
    static CmRep reply(
            CmReq request, long caGuid, int localId, int qpNum, IbCmNegotiated terms, ConnectionOffer offer) {
        return CmRep.builder()
                .localCommId(localId)
                .remoteCommId(request.localCommId())
                .localQpn(qpNum)
                .startingPsn(terms.rqPsn())
                .responderResources(terms.responderResources())
                .initiatorDepth(terms.initiatorDepth())
                .targetAckDelay(CmTimes.LOCAL_ACK_DELAY)
                .endToEndFlowControl(offer.flowControl())
                .rnrRetryCount(offer.rnrRetryCount())
                .localCaGuid(caGuid)
                .privateData(CmBytes.of(offer.privateData()))
                .build();
    }

    /**
     * What the active side makes of a reply. The peer may serve more Reads than this side wants, and want as many as this device can serve.
     */
    static IbCmNegotiated replied(CmReq request, CmRep reply, ConnectionOffer offer, DeviceAttributes device) {
        return new IbCmNegotiated(
                reply.localQpn(),
                PathMtu.bytes(request.pathMtu()), // [IBTA-CM-12.7-3]
                reply.startingPsn(), // [IBTA-CM-12.7-1]
                request.startingPsn(),
                CmTimes.ackTimeout(offer.ib().packetLifetime(), reply.targetAckDelay()), // [IBTA-CM-12.7-5]
                offer.retryCount(), // [IBTA-CM-12.7-4]
                reply.rnrRetryCount(),
                Math.min(Math.max(offer.responderResources(), reply.initiatorDepth()), device.maxQpRdAtomic()),
                // [IBTA-CM-12.7-2]
                Math.min(offer.initiatorDepth(), reply.responderResources()));
    }
}
