package io.jrdma.verbs;

import java.util.Set;

/**
 * What a device can do ({@code ibv_device_attr}).
 *
 * @param transport the wire
 * @param completionSemantics what a successful Send or Write completion proves by default
 * @param sendOpcodes the operations that can be posted to a send queue
 * @param qpTypes service types
 * @param maxQp queue pairs at once
 * @param maxQpWr work requests of one send or receive queue
 * @param maxSge scatter/gather elements of a request
 * @param maxSgeRead scatter/gather elements of an RDMA Read
 * @param maxInlineData bytes of inline payload
 * @param maxCq completion queues at once
 * @param maxCqe entries of one completion queue
 * @param maxMr memory regions at once
 * @param maxMrSize bytes of one region
 * @param maxPd protection domains at once
 * @param maxMessageSize bytes of one message or transfer
 * @param maxQpRdAtomic Reads and atomics of a peer that one queue pair serves at once ({@code max_qp_rd_atom}; iWARP: IRD)
 * @param maxQpInitRdAtomic Reads and atomics that one queue pair keeps outstanding ({@code max_qp_init_rd_atom}; iWARP: ORD)
 */
public record DeviceAttributes(
        Transport transport,
        CompletionSemantics completionSemantics,
        Set<WrOpcode> sendOpcodes,
        Set<QpType> qpTypes,
        int maxQp,
        int maxQpWr,
        int maxSge,
        int maxSgeRead,
        int maxInlineData,
        int maxCq,
        int maxCqe,
        int maxMr,
        long maxMrSize,
        int maxPd,
        long maxMessageSize,
        int maxQpRdAtomic,
        int maxQpInitRdAtomic) {
    public DeviceAttributes {
        // in the order of declaration, so that messages and runs are the same everywhere; Set.copyOf's order differs
        // from run to run
        sendOpcodes = EnumSets.copy(WrOpcode.class, sendOpcodes);
        qpTypes = EnumSets.copy(QpType.class, qpTypes);
    }
}
