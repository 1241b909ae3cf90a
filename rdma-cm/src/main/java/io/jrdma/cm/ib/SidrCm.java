package io.jrdma.cm.ib;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.IbCmOptions;
import io.jrdma.verbs.VerbsException;
import io.jrdma.wire.cm.CmBytes;
import io.jrdma.wire.cm.CmSidrRep;
import io.jrdma.wire.cm.CmSidrReq;
import io.jrdma.wire.cm.Gid;
import io.jrdma.wire.cm.IpCmPrivateData;
import io.jrdma.wire.cm.ServiceId;
import io.jrdma.wire.cm.SidrStatus;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;

/**
 * Service ID resolution (IBTA volume 1, 12.11): one question, one answer, no connection. The services are the ports of {@code RDMA_PS_UDP}.
 * Loop only.
 */
public final class SidrCm {
    /** Bytes of private data in a SIDR_REQ, besides addresses and port. */
    public static final int MAX_REQUEST_PRIVATE_DATA = 180;

    /** Bytes of private data in a SIDR_REP. */
    public static final int MAX_REPLY_PRIVATE_DATA = 136;

    private static final int P_KEY = 0xFFFF;

    private record Key(InetAddress from, int requestId) {}

    private final IbCm cm;
    private final IbRemembered answers;
    private final Map<Integer, SidrRequest> requests = new HashMap<>();
    private final Map<Key, SidrResponse> responses = new HashMap<>();
    private final Map<Long, SidrService> services = new HashMap<>();

    SidrCm(IbCm cm) {
        this.cm = cm;
        this.answers = new IbRemembered(cm.timers(), IbCm.MAX_REFUSED);
    }

    IbCm cm() {
        return cm;
    }

    /**
     * Asks a peer.
     *
     * @param privateData up to {@link #MAX_REQUEST_PRIVATE_DATA} bytes
     */
    public SidrRequest request(
            InetSocketAddress remote, byte[] privateData, IbCmOptions options, SidrEvents events, long nowNs) {
        checkLength(privateData, MAX_REQUEST_PRIVATE_DATA);
        int id = cm.numbers().requestId(requests::containsKey);
        long transactionId = cm.numbers().transactionId(id);
        IpCmPrivateData ends = new IpCmPrivateData(
                cm.numbers().port(),
                Gid.of(cm.localAddress().getAddress()),
                Gid.of(remote.getAddress().getAddress()));
        // [IBTA-CM-A11-1]
        byte[] mad = cm.send(
                remote.getAddress(),
                transactionId,
                new CmSidrReq(id, P_KEY, udp(remote.getPort()), ends.with(CmBytes.of(privateData))));
        SidrRequest request = new SidrRequest(
                this,
                id,
                remote.getAddress(),
                events,
                mad,
                options.maxRetries(),
                CmTimes.ns(options.responseTimeout()),
                nowNs);
        requests.put(id, request);
        return request;
    }

    /**
     * Listens.
     *
     * @param port 0 takes a free one
     * @param backlog requests that may be unanswered at once, 1 or more; further ones are left to be repeated
     * @return the port
     * @throws VerbsException EADDRINUSE if somebody listens there
     */
    public int listen(int port, int backlog, SidrRequests receiver) {
        int taken = cm.numbers()
                .listeningPort(
                        "listening for datagrams", cm.localAddress(), port, used -> services.containsKey(udp(used)));
        services.put(udp(taken), new SidrService(receiver, backlog));
        return taken;
    }

    /** Takes no more requests; those that wait may still be answered. */
    public void stopListening(int port) {
        services.remove(udp(port));
    }

    void onRequest(InetAddress from, long transactionId, CmSidrReq request, long nowNs) {
        Key key = new Key(from, request.requestId());
        SidrResponse known = responses.get(key);
        if (known != null) {
            known.onRequest();
            return;
        }
        SidrService service = services.get(request.serviceId());
        // [IBTA-CM-12.11-1]
        if (service == null || !cm.isForUs(request.privateData())) {
            // nothing is kept of it: it is answered alike when it comes again
            int status = service == null ? SidrStatus.SERVICE_ID_NOT_SUPPORTED : SidrStatus.REJECTED;
            cm.send(
                    from,
                    transactionId,
                    new CmSidrRep(request.requestId(), status, 0, request.serviceId(), 0, CmBytes.EMPTY));
        } else if (service.admit()) {
            SidrResponse response = new SidrResponse(this, service, from, transactionId, request);
            responses.put(key, response);
            service.onRequest(
                    response,
                    IpCmPrivateData.consumerData(request.privateData()).toByteArray()); // [IBTA-CM-A11-2]
        }
    }

    void onReply(InetAddress from, CmSidrRep reply) {
        SidrRequest request = requests.get(reply.requestId());
        if (request != null) {
            request.onReply(from, reply);
        }
    }

    /** Remembers an answer, which is sent again when the request is. */
    void remember(SidrResponse answered, long nowNs) {
        answers.add(answered, CmTimes.answerKeptNs(), nowNs);
    }

    void forget(int requestId, SidrRequest request) {
        requests.remove(requestId, request);
    }

    void forget(SidrResponse response) {
        answers.remove(response);
        responses.remove(new Key(response.from(), response.requestId()), response);
    }

    /** How many requests of peers are known, answered or not. */
    int known() {
        return responses.size();
    }

    void onClosed() {
        requests.clear();
        responses.clear();
        answers.clear();
        services.clear();
    }

    private static long udp(int port) {
        return ServiceId.of(ServiceId.PORT_SPACE_UDP, port);
    }

    static void checkLength(byte[] privateData, int max) {
        if (privateData.length > max) {
            throw new VerbsException(
                    Errno.EINVAL, "private data of " + privateData.length + " bytes; allowed are 0.." + max);
        }
    }
}
