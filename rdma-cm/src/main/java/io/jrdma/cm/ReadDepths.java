package io.jrdma.cm;

import io.jrdma.verbs.DeviceAttributes;

/**
 * How many Reads and atomics may be outstanding at once each way, seen from this side.
 *
 * @param responderResources those of the peer that this side serves
 * @param initiatorDepth those of this side
 */
record ReadDepths(int responderResources, int initiatorDepth) {
    /** No request has named any. */
    static final ReadDepths NONE = new ReadDepths(0, 0);

    /** What a request asks for, as far as the device can do it. */
    static ReadDepths ofRequest(int peerIrd, int peerOrd, DeviceAttributes device) {
        return new ReadDepths(Math.min(peerOrd, device.maxQpRdAtomic()), Math.min(peerIrd, device.maxQpInitRdAtomic()));
    }
}
