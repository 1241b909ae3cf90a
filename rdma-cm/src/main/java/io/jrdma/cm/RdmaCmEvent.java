package io.jrdma.cm;

import org.jspecify.annotations.Nullable;

/**
 * An event of a {@link RdmaEventChannel} ({@code struct rdma_cm_event}). Taking it acknowledges it; there is nothing to give back.
 *
 * <p>Arrays belong to whoever took the event. {@code responderResources} are Reads and atomics of the peer that this side may be asked to
 * serve at once, {@code initiatorDepth} those that this side may keep outstanding, both seen from this side and clamped to the device's
 * limits. A status is 0, a negative errno, or the reason of a RoCE peer's REJ message.
 */
public sealed interface RdmaCmEvent {
    /** The id that it happened to; for a request the new id. */
    RdmaCmId id();

    /** The kind, with its code and name. */
    RdmaCmEventType type();

    /** For a request the id that listens, else null. */
    default @Nullable RdmaCmId listenId() {
        return null;
    }

    /** 0, or a negative errno or a REJ reason as the kernel gives it. */
    default int status() {
        return 0;
    }

    /** What the peer's application sent along. iWARP: exactly the bytes that were sent; RoCE: all bytes of the field, zeros behind those. */
    default byte[] privateData() {
        return new byte[0];
    }

    /** Reads and atomics of the peer that this side may be asked to serve at once. */
    default int responderResources() {
        return 0;
    }

    /** Reads and atomics that this side may keep outstanding. */
    default int initiatorDepth() {
        return 0;
    }

    /** The reason of a failure, for people; empty on success. */
    default String text() {
        return "";
    }

    /** The local address and the device that reach the peer are known. */
    record AddressResolved(RdmaCmId id) implements RdmaCmEvent {
        @Override
        public RdmaCmEventType type() {
            return RdmaCmEventType.ADDR_RESOLVED;
        }
    }

    /** There is no way to the peer's address; the id is bound as before and may try again. */
    record AddressError(RdmaCmId id, int status, String text) implements RdmaCmEvent {
        @Override
        public RdmaCmEventType type() {
            return RdmaCmEventType.ADDR_ERROR;
        }
    }

    /** The id may connect. */
    record RouteResolved(RdmaCmId id) implements RdmaCmEvent {
        @Override
        public RdmaCmEventType type() {
            return RdmaCmEventType.ROUTE_RESOLVED;
        }
    }

    /** There is no route; the id may try again. */
    record RouteError(RdmaCmId id, int status, String text) implements RdmaCmEvent {
        @Override
        public RdmaCmEventType type() {
            return RdmaCmEventType.ROUTE_ERROR;
        }
    }

    /** A peer wants to connect: {@code id} is new and wants {@link RdmaCmId#accept} or {@link RdmaCmId#reject}. */
    @SuppressWarnings("ArrayRecordComponent") // a fresh array for each event, given away with it
    record ConnectRequest(
            RdmaCmId id, RdmaCmId listenId, byte[] privateData, int responderResources, int initiatorDepth)
            implements RdmaCmEvent {
        @Override
        public RdmaCmEventType type() {
            return RdmaCmEventType.CONNECT_REQUEST;
        }

        @Override
        public String toString() {
            return EventText.of(this);
        }
    }

    /** The peer has replied to an id without a queue pair of its own; not on iWARP. */
    @SuppressWarnings("ArrayRecordComponent") // a fresh array for each event, given away with it
    record ConnectResponse(RdmaCmId id, byte[] privateData, int responderResources, int initiatorDepth)
            implements RdmaCmEvent {
        @Override
        public RdmaCmEventType type() {
            return RdmaCmEventType.CONNECT_RESPONSE;
        }

        @Override
        public String toString() {
            return EventText.of(this);
        }
    }

    /** The connection did not come up: the handshake broke, or something on this side stood in the way. */
    record ConnectError(RdmaCmId id, int status, String text) implements RdmaCmEvent {
        @Override
        public RdmaCmEventType type() {
            return RdmaCmEventType.CONNECT_ERROR;
        }
    }

    /** The peer did not answer in time (-ETIMEDOUT), or there is no way to it. */
    record Unreachable(RdmaCmId id, int status, String text) implements RdmaCmEvent {
        @Override
        public RdmaCmEventType type() {
            return RdmaCmEventType.UNREACHABLE;
        }
    }

    /**
     * The peer said no. iWARP: -ECONNRESET if its application rejected or it closed the stream, -ECONNREFUSED if nobody listens there. IB: the
     * reason of the REJ message, a positive number.
     */
    @SuppressWarnings("ArrayRecordComponent") // a fresh array for each event, given away with it
    record Rejected(RdmaCmId id, int status, byte[] privateData, String text) implements RdmaCmEvent {
        @Override
        public RdmaCmEventType type() {
            return RdmaCmEventType.REJECTED;
        }

        @Override
        public String toString() {
            return EventText.of(this);
        }
    }

    /** The connection is up; private data is that of the reply, on the active side. */
    @SuppressWarnings("ArrayRecordComponent") // a fresh array for each event, given away with it
    record Established(RdmaCmId id, byte[] privateData, int responderResources, int initiatorDepth)
            implements RdmaCmEvent {
        @Override
        public RdmaCmEventType type() {
            return RdmaCmEventType.ESTABLISHED;
        }

        @Override
        public String toString() {
            return EventText.of(this);
        }
    }

    /** The connection is over, from either side; every work request of its queue pair has its completion. */
    record Disconnected(RdmaCmId id, int status) implements RdmaCmEvent {
        @Override
        public RdmaCmEventType type() {
            return RdmaCmEventType.DISCONNECTED;
        }
    }

    /** The device of the id was closed; nothing is left but to close the id. */
    record DeviceRemoval(RdmaCmId id) implements RdmaCmEvent {
        @Override
        public RdmaCmEventType type() {
            return RdmaCmEventType.DEVICE_REMOVAL;
        }
    }

    /** The queue pair's number may be used again; not on iWARP. */
    record TimewaitExit(RdmaCmId id) implements RdmaCmEvent {
        @Override
        public RdmaCmEventType type() {
            return RdmaCmEventType.TIMEWAIT_EXIT;
        }
    }
}
