package io.jrdma.cm;

import io.jrdma.cm.transport.ConnectionOffer;
import io.jrdma.verbs.DeviceAttributes;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;

/** Turns {@link ConnectionParameters} into what a connection offers, within the limits of the device and the wire. */
final class CmParameters {
    /** Depths are one byte in the messages of RoCE. */
    private static final int MAX_IB_DEPTH = 255;

    private CmParameters() {}

    /**
     * What a connect offers.
     *
     * @throws VerbsException EINVAL if the private data is too long or a depth is beyond the device's limits
     */
    static ConnectionOffer request(ConnectionParameters parameters, DeviceAttributes device) {
        check("a connect", parameters.privateData().length, requestLimit(parameters, device.transport()));
        return offer(parameters, device, new ReadDepths(maxResources(device), maxDepth(device)));
    }

    /**
     * What an accept offers; by default as many Reads each way as the peer's request names. The transport sees to it that no more are
     * outstanding than the peer serves.
     *
     * @param requested what the request names, seen from this side
     * @throws VerbsException EINVAL as {@link #request}
     */
    static ConnectionOffer reply(ConnectionParameters parameters, DeviceAttributes device, ReadDepths requested) {
        checkReply(device.transport(), parameters.privateData().length);
        return offer(parameters, device, requested);
    }

    /**
     * Checks the private data of an accept.
     *
     * @throws VerbsException EINVAL if it is too long
     */
    static void checkReply(Transport transport, int length) {
        check(
                "a reply",
                length,
                switch (transport) {
                    case IWARP -> ConnectionParameters.MAX_REPLY_PRIVATE_DATA;
                    case ROCE_V2 -> ConnectionParameters.MAX_IB_REPLY_PRIVATE_DATA;
                });
    }

    /**
     * Checks the private data of a reject.
     *
     * @throws VerbsException EINVAL if it is too long
     */
    static void checkReject(Transport transport, int length) {
        check(
                "a reject",
                length,
                switch (transport) {
                    case IWARP -> ConnectionParameters.MAX_REPLY_PRIVATE_DATA;
                    case ROCE_V2 -> ConnectionParameters.MAX_IB_REJECT_PRIVATE_DATA;
                });
    }

    private static int requestLimit(ConnectionParameters parameters, Transport transport) {
        return switch (transport) {
            // revision 2 begins its private data with four bytes of its own
            case IWARP -> parameters.mpa().revision() < 2 ? 512 : ConnectionParameters.MAX_REQUEST_PRIVATE_DATA;
            case ROCE_V2 -> ConnectionParameters.MAX_IB_REQUEST_PRIVATE_DATA;
        };
    }

    private static void check(String message, int length, int max) {
        if (length > max) {
            throw new VerbsException(
                    Errno.EINVAL, "private data of " + length + " bytes in " + message + "; allowed are 0.." + max);
        }
    }

    private static ConnectionOffer offer(
            ConnectionParameters parameters, DeviceAttributes device, ReadDepths byDefault) {
        return new ConnectionOffer(
                parameters.privateData(),
                depth(
                        "responderResources",
                        parameters.responderResources(),
                        maxResources(device),
                        byDefault.responderResources()),
                depth("initiatorDepth", parameters.initiatorDepth(), maxDepth(device), byDefault.initiatorDepth()),
                parameters.retryCount(),
                parameters.rnrRetryCount(),
                parameters.flowControl(),
                parameters.mpa(),
                parameters.ib());
    }

    private static int maxResources(DeviceAttributes device) {
        return wireLimit(device, device.maxQpRdAtomic());
    }

    private static int maxDepth(DeviceAttributes device) {
        return wireLimit(device, device.maxQpInitRdAtomic());
    }

    private static int wireLimit(DeviceAttributes device, int limit) {
        return device.transport() == Transport.ROCE_V2 ? Math.min(limit, MAX_IB_DEPTH) : limit;
    }

    private static int depth(String name, int value, int max, int byDefault) {
        if (value == ConnectionParameters.DEVICE_MAXIMUM) {
            return byDefault;
        }
        if (value > max) {
            throw new VerbsException(Errno.EINVAL, name + " is " + value + "; this device allows 0.." + max);
        }
        return value;
    }
}
