package io.jrdma.cm.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.wire.cm.CmPath;
import io.jrdma.wire.cm.CmReq;
import io.jrdma.wire.cm.Gid;

/** Requests that differ from a good one in what a test wants. */
final class IbRequests {
    private IbRequests() {}

    /** The request that a client makes of a server; both have given it up and forgotten it. */
    static CmReq good(IbHost client, IbServer server) {
        IbNetwork network = client.network;
        IbEnd trial = client.connect(server.host, IbServer.PORT);
        CmReq good = network.last(CmReq.class);
        trial.destroy();
        network.settle();
        server.last().destroy();
        network.advance(100 * IbNetwork.SECOND);
        assertThat(server.host.cm().isEmpty()).isTrue();
        server.requests.clear();
        network.sent.clear();
        return good;
    }

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
