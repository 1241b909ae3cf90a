package io.jrdma.cm.ib;

import io.jrdma.wire.cm.CmBytes;
import io.jrdma.wire.cm.CmSidrRep;
import io.jrdma.wire.cm.CmSidrReq;
import io.jrdma.wire.cm.SidrStatus;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * A peer's request for the datagram queue pair of a service (SIDR_REQ received). Its answer is kept for a while, because the request comes
 * again if the answer is lost. Loop only.
 */
public final class SidrResponse extends IbTimers.Timed {
    private final SidrCm sidr;
    private final InetAddress from;
    private final long transactionId;
    private final CmSidrReq request;
    private final SidrService service;
    private byte @Nullable [] answer;

    SidrResponse(SidrCm sidr, SidrService service, InetAddress from, long transactionId, CmSidrReq request) {
        this.sidr = sidr;
        this.service = service;
        this.from = from;
        this.transactionId = transactionId;
        this.request = request;
    }

    /** Who asks. */
    public InetAddress from() {
        return from;
    }

    int requestId() {
        return request.requestId();
    }

    boolean isAnswered() {
        return answer != null;
    }

    /** Names the queue pair. Does nothing if it was answered. */
    public void accept(int qpNum, int qKey, byte[] privateData, long nowNs) {
        answer(SidrStatus.SUCCESS, qpNum, qKey, privateData, nowNs);
    }

    /** Says no. Does nothing if it was answered. */
    public void reject(byte[] privateData, long nowNs) {
        answer(SidrStatus.REJECTED, 0, 0, privateData, nowNs);
    }

    private void answer(int status, int qpNum, int qKey, byte[] privateData, long nowNs) {
        // [IBTA-CM-12.11-1]
        if (answer == null) {
            answer = sidr.cm()
                    .send(
                            from,
                            transactionId,
                            new CmSidrRep(
                                    request.requestId(),
                                    status,
                                    qpNum,
                                    request.serviceId(),
                                    qKey,
                                    CmBytes.of(privateData)));
            service.answered();
            sidr.remember(this, nowNs);
        }
    }

    /** The request once more. */
    void onRequest() {
        byte[] again = answer;
        if (again != null) {
            sidr.cm().port().send(from, again);
        }
    }

    @Override
    void onTimeout(long nowNs) {
        sidr.forget(this);
    }
}
