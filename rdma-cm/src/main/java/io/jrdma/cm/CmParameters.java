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
        int ird = depth("responderResources", parameters.responderResources(), device.maxQpRdAtomic());
        int ord = depth("initiatorDepth", parameters.initiatorDepth(), device.maxQpInitRdAtomic());
        return new StreamParameters(parameters.mpa(), ird, ord, privateData);
    }

    /**
     * What an accept offers: no more Reads outstanding than the peer serves, and by default no more served than it asked for.
     *
     * @param peerIrd Reads that the peer serves at once
     * @param peerOrd Reads that the peer wants to keep outstanding
     * @throws VerbsException EINVAL as {@link #request}
     */
    static StreamParameters reply(ConnectionParameters parameters, DeviceAttributes device, int peerIrd, int peerOrd) {
        byte[] privateData = parameters.privateData();
        checkReply(privateData.length);
        int ird = parameters.responderResources() == ConnectionParameters.DEVICE_MAXIMUM
                ? Math.min(peerOrd, device.maxQpRdAtomic())
                : depth("responderResources", parameters.responderResources(), device.maxQpRdAtomic());
        int ord = depth("initiatorDepth", parameters.initiatorDepth(), device.maxQpInitRdAtomic());
        return new StreamParameters(parameters.mpa(), ird, Math.min(ord, peerIrd), privateData);
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

    private static int depth(String name, int value, int max) {
        if (value == ConnectionParameters.DEVICE_MAXIMUM) {
            return max;
        }
        if (value > max) {
            throw new VerbsException(Errno.EINVAL, name + " is " + value + "; this device allows 0.." + max);
        }
        return value;
    }
}
