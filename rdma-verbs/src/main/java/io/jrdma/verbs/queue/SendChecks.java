package io.jrdma.verbs.queue;

import io.jrdma.verbs.AddressHandle;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.PostException;
import io.jrdma.verbs.QpType;
import io.jrdma.verbs.SendFlags;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.verbs.memory.AccessFault;
import io.jrdma.verbs.memory.GuardedCopy;
import io.jrdma.verbs.spi.DeviceContext;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** What a send must be like to be posted to a queue pair, whatever its state; under the poster's lock. */
final class SendChecks {
    private final boolean datagrams;
    private final int protectionDomain;
    private final SendQueue sendQueue;
    private final DeviceContext device;

    SendChecks(QpType type, int protectionDomain, SendQueue sendQueue, DeviceContext device) {
        this.datagrams = type == QpType.UD;
        this.protectionDomain = protectionDomain;
        this.sendQueue = sendQueue;
        this.device = device;
    }

    /**
     * Checks a send, and prepares the queue's next slot for it: an inline payload is copied, a destination held.
     *
     * @param index position in the caller's list, for the exception
     * @return whether the payload is inline
     * @throws PostException if it cannot be posted; nothing was changed
     */
    boolean check(SendWr request, int index) {
        WrOpcode opcode = request.opcode();
        if (!device.attributes().sendOpcodes().contains(opcode)) {
            throw new PostException(
                    Errno.EOPNOTSUPP,
                    index,
                    "unsupported opcode " + opcode + "; this device has "
                            + device.attributes().sendOpcodes());
        }
        if (datagrams) {
            checkDatagram(request, index);
        }
        long length = request.length();
        if (length > device.attributes().maxMessageSize()) {
            throw new PostException(
                    Errno.EINVAL,
                    index,
                    "message of " + length + " bytes; allowed are "
                            + device.attributes().maxMessageSize());
        }
        boolean inline = (request.flags() & SendFlags.INLINE) != 0;
        if (inline && length > sendQueue.maxInline()) {
            throw new PostException(
                    Errno.EINVAL,
                    index,
                    "inline payload of " + length + " bytes; the queue pair was created with " + sendQueue.maxInline());
        }
        int maxSge = opcode == WrOpcode.RDMA_READ
                ? Math.min(sendQueue.maxSge(), device.attributes().maxSgeRead())
                : sendQueue.maxSge();
        if (!inline && request.sgeCount() > maxSge) {
            throw new PostException(
                    Errno.EINVAL,
                    index,
                    opcode + " with " + request.sgeCount() + " scatter/gather elements; allowed are " + maxSge);
        }
        if (inline && writesHere(opcode)) {
            throw new PostException(Errno.EINVAL, index, opcode + " cannot be inline");
        }
        if (!sendQueue.hasRoom()) {
            throw new PostException(
                    Errno.ENOMEM, index, "send queue is full with " + sendQueue.capacity() + " requests");
        }
        if (inline) {
            copyInline(request, index);
        }
        AddressHandle to = datagrams ? request.addressHandle() : null;
        if (to != null && !to.hold()) {
            throw noDestination(to, index);
        }
        return inline;
    }

    private void checkDatagram(SendWr request, int index) {
        if (request.opcode() != WrOpcode.SEND && request.opcode() != WrOpcode.SEND_WITH_IMM) {
            throw new PostException(
                    Errno.EOPNOTSUPP, index, request.opcode() + " on a datagram queue pair, which sends alone");
        }
        AddressHandle to = request.addressHandle();
        if (to == null || to.isClosed() || !to.isOf(device, protectionDomain)) {
            throw noDestination(to, index);
        }
    }

    private static PostException noDestination(@Nullable AddressHandle given, int index) {
        return new PostException(
                Errno.EINVAL,
                index,
                "a datagram needs an address handle of the queue pair's protection domain that is open; given is "
                        + given);
    }

    /** Whether the scatter/gather list of such a request is where something goes to. */
    private static boolean writesHere(WrOpcode opcode) {
        return opcode == WrOpcode.RDMA_READ
                || opcode == WrOpcode.ATOMIC_CMP_AND_SWP
                || opcode == WrOpcode.ATOMIC_FETCH_AND_ADD;
    }

    private void copyInline(SendWr request, int index) {
        long at = sendQueue.nextInlineOffset();
        MemorySegment payload = request.inlineData();
        if (payload != null) {
            AccessFault fault = GuardedCopy.copy(payload, 0, sendQueue.inlineMemory(), at, payload.byteSize());
            if (fault != AccessFault.NONE) {
                throw new PostException(Errno.EINVAL, index, "inline payload: " + fault.text());
            }
            return;
        }
        for (int i = 0; i < request.sgeCount(); i++) {
            AccessFault fault = device.memory()
                    .readWhilePosting(
                            request.sgeKey(i),
                            protectionDomain,
                            request.sgeAddress(i),
                            sendQueue.inlineMemory(),
                            at,
                            request.sgeLength(i));
            if (fault != AccessFault.NONE) {
                throw new PostException(
                        Errno.EINVAL,
                        index,
                        "inline payload, element " + i + " at 0x" + Long.toHexString(request.sgeAddress(i)) + ": "
                                + fault.text());
            }
            at += request.sgeLength(i);
        }
    }
}
