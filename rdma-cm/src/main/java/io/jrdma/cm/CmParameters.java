package io.jrdma.cm;

import io.jrdma.verbs.DeviceAttributes;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.spi.StreamParameters;

/** Turns {@link ConnectionParameters} into what a stream offers, within the limits of the device and the wire. */
final class CmParameters {
    private CmParameters() {}

    /**
     * What a connect offers.
     *
     * @throws VerbsException EINVAL if the private data is too long or a depth is beyond the device's limits
     */
    static StreamParameters request(ConnectionParameters parameters, DeviceAttributes device) {
        // revision 2 begins its private data with four bytes of its own
        int max = parameters.mpa().revision() < 2 ? 512 : ConnectionParameters.MAX_REQUEST_PRIVATE_DATA;
        byte[] privateData = parameters.privateData();
        if (privateData.length > max) {
            throw new VerbsException(
                    Errno.EINVAL,
                    "private data of " + privateData.length + " bytes in a connect; allowed are 0.." + max);
        }
        int maxIrd = device.maxQpRdAtomic();
        int maxOrd = device.maxQpInitRdAtomic();
        int ird = depth("responderResources", parameters.responderResources(), maxIrd, maxIrd);
        int ord = depth("initiatorDepth", parameters.initiatorDepth(), maxOrd, maxOrd);
        return new StreamParameters(parameters.mpa(), ird, ord, privateData);
    }

    /**
     * What an accept offers; by default as many Reads each way as the peer's request names. The transport sees to it that no more are
     * outstanding than the peer serves.
     *
     * @param requested what the request names, seen from this side
     * @throws VerbsException EINVAL as {@link #request}
     */
    static StreamParameters reply(ConnectionParameters parameters, DeviceAttributes device, ReadDepths requested) {
        byte[] privateData = parameters.privateData();
        checkReply(privateData.length);
        int ird = depth(
                "responderResources",
                parameters.responderResources(),
                device.maxQpRdAtomic(),
                requested.responderResources());
        int ord = depth(
                "initiatorDepth", parameters.initiatorDepth(), device.maxQpInitRdAtomic(), requested.initiatorDepth());
        return new StreamParameters(parameters.mpa(), ird, ord, privateData);
    }

    /**
     * Checks the private data of an accept or a reject.
     *
     * @throws VerbsException EINVAL if it is too long
     */
    static void checkReply(int length) {
        if (length > ConnectionParameters.MAX_REPLY_PRIVATE_DATA) {
            throw new VerbsException(
                    Errno.EINVAL,
                    "private data of " + length + " bytes in a reply; allowed are 0.."
                            + ConnectionParameters.MAX_REPLY_PRIVATE_DATA);
        }
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
