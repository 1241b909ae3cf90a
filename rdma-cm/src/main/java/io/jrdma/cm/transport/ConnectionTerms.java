package io.jrdma.cm.transport;

import io.jrdma.verbs.IbCmNegotiated;
import io.jrdma.verbs.MpaNegotiated;
import org.jspecify.annotations.Nullable;

/**
 * What both sides agreed on.
 *
 * @param responderResources Reads and atomics of the peer that this side may be asked to serve at once
 * @param initiatorDepth Reads and atomics that this side may keep outstanding
 * @param mpa the whole of it on iWARP, else null
 * @param ib the whole of it on RoCE, else null
 */
public record ConnectionTerms(
        int responderResources,
        int initiatorDepth,
        @Nullable MpaNegotiated mpa,
        @Nullable IbCmNegotiated ib) {
    /** Nothing was agreed on yet. */
    public static final ConnectionTerms NONE = new ConnectionTerms(0, 0, null, null);

    /** Terms of a connection over iWARP. */
    public static ConnectionTerms of(MpaNegotiated mpa) {
        return new ConnectionTerms(mpa.ird(), mpa.ord(), mpa, null);
    }

    /** Terms of a connection over RoCE. */
    public static ConnectionTerms of(IbCmNegotiated ib) {
        return new ConnectionTerms(ib.responderResources(), ib.initiatorDepth(), null, ib);
    }
}
