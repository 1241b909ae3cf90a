package io.jrdma.cm.ib;

import io.jrdma.wire.cm.CmPath;
import io.jrdma.wire.cm.CmReq;
import io.jrdma.wire.cm.Gid;

/** Requests that differ from a good one in what a test wants. */
final class IbRequests {
    private IbRequests() {}

    static CmReq.Builder from(CmReq good) {
        return CmReq.builder()
                .localCommId(good.localCommId())
                .serviceId(good.serviceId())
                .localCaGuid(good.localCaGuid())
                .localQpn(good.localQpn())
                .responderResources(good.responderResources())
                .initiatorDepth(good.initiatorDepth())
                .remoteCmResponseTimeout(good.remoteCmResponseTimeout())
                .localCmResponseTimeout(good.localCmResponseTimeout())
                .transportServiceType(good.transportServiceType())
                .startingPsn(good.startingPsn())
                .retryCount(good.retryCount())
                .pathMtu(good.pathMtu())
                .rnrRetryCount(good.rnrRetryCount())
                .maxCmRetries(good.maxCmRetries())
                .primary(good.primary())
                .privateData(good.privateData());
    }

    static CmPath path(CmPath good, Gid local, Gid remote, int ackTimeout) {
        return CmPath.roce(local, remote, good.flowLabel(), good.trafficClass(), good.hopLimit(), ackTimeout);
    }
}
