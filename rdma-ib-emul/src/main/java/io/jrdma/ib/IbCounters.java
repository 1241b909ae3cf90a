package io.jrdma.ib;

import io.jrdma.wire.ib.IbMalformed;

/** What happened on a device, in numbers that only grow. Loop thread writes; others may read values that are a little old. */
public final class IbCounters {
    /** Packets sent, of all kinds. */
    public static final int PACKETS_SENT = 0;
    /** Bytes of them, BTH to ICRC. */
    public static final int BYTES_SENT = 1;
    /** Packets received whose form was good. */
    public static final int PACKETS_RECEIVED = 2;
    /** Bytes of them. */
    public static final int BYTES_RECEIVED = 3;
    /** Request packets sent again. */
    public static final int RETRANSMITTED = 4;
    /** ACKs sent; responses to Reads and atomics not counted. */
    public static final int ACKS_SENT = 5;
    /** NAKs sent for a gap in the PSNs. */
    public static final int SEQUENCE_NAKS_SENT = 6;
    /** RNR NAKs sent. */
    public static final int RNR_NAKS_SENT = 7;
    /** NAKs sent that end the connection. */
    public static final int FATAL_NAKS_SENT = 8;
    /** NAKs received for a gap in the PSNs. */
    public static final int SEQUENCE_NAKS_RECEIVED = 9;
    /** RNR NAKs received. */
    public static final int RNR_NAKS_RECEIVED = 10;
    /** NAKs received that end the connection. */
    public static final int FATAL_NAKS_RECEIVED = 11;
    /** Responses that told of a lost one before them. */
    public static final int LOST_RESPONSES = 12;
    /** Request packets received again. */
    public static final int DUPLICATE_REQUESTS = 13;
    /** Request packets received ahead of the expected one. */
    public static final int OUT_OF_SEQUENCE = 14;
    /** Times that sending began again because nothing had come in the time that answers usually take. */
    public static final int FAST_TIMEOUTS = 15;
    /** Times that a queue pair's own time limit was over, each of which used up one retry. */
    public static final int ACK_TIMEOUTS = 16;
    /** Times that a queue pair went to ERROR by itself. */
    public static final int FAULTS = 17;
    /** Packets received that a switch had marked. */
    public static final int CONGESTED = 18;
    /** Congestion notifications sent. */
    public static final int CNPS_SENT = 19;
    /** Congestion notifications received. */
    public static final int CNPS_RECEIVED = 20;
    /** Management datagrams sent. */
    public static final int MADS_SENT = 21;
    /** Management datagrams received. */
    public static final int MADS_RECEIVED = 22;
    /** Management datagrams not sent: too many waited, or no way to the host. */
    public static final int MADS_DROPPED = 23;

    /** Dropped: no such queue pair. */
    public static final int UNKNOWN_QP = 24;
    /** Dropped: the opcode is of another service type than the queue pair. */
    public static final int WRONG_SERVICE = 25;
    /** Dropped: not from the address of the queue pair's peer. */
    public static final int WRONG_SOURCE = 26;
    /** Dropped: another partition. */
    public static final int WRONG_P_KEY = 27;
    /** Dropped: another queue key. */
    public static final int WRONG_Q_KEY = 28;
    /** Dropped: the queue pair's state does not allow it. */
    public static final int WRONG_STATE = 29;
    /** Dropped: a response to something that was never asked, or is answered already. */
    public static final int STRAY_RESPONSE = 30;
    /** Dropped: a Read or atomic again that is not remembered. */
    public static final int UNKNOWN_DUPLICATE = 31;
    /** Dropped: a datagram without a receive for it, or one that it does not fit. */
    public static final int NO_RECEIVE = 32;

    private static final int FIRST_MALFORMED = 33;
    /** Number of counters: 0..COUNT-1. */
    public static final int COUNT = FIRST_MALFORMED + IbMalformed.COUNT;

    private static final String[] NAMES = {
        "PACKETS_SENT",
        "BYTES_SENT",
        "PACKETS_RECEIVED",
        "BYTES_RECEIVED",
        "RETRANSMITTED",
        "ACKS_SENT",
        "SEQUENCE_NAKS_SENT",
        "RNR_NAKS_SENT",
        "FATAL_NAKS_SENT",
        "SEQUENCE_NAKS_RECEIVED",
        "RNR_NAKS_RECEIVED",
        "FATAL_NAKS_RECEIVED",
        "LOST_RESPONSES",
        "DUPLICATE_REQUESTS",
        "OUT_OF_SEQUENCE",
        "FAST_TIMEOUTS",
        "ACK_TIMEOUTS",
        "FAULTS",
        "CONGESTED",
        "CNPS_SENT",
        "CNPS_RECEIVED",
        "MADS_SENT",
        "MADS_RECEIVED",
        "MADS_DROPPED",
        "UNKNOWN_QP",
        "WRONG_SERVICE",
        "WRONG_SOURCE",
        "WRONG_P_KEY",
        "WRONG_Q_KEY",
        "WRONG_STATE",
        "STRAY_RESPONSE",
        "UNKNOWN_DUPLICATE",
        "NO_RECEIVE"
    };

    private final long[] values = new long[COUNT];

    IbCounters() {}

    /** The counter of received packets that were dropped for that reason, an {@link IbMalformed} code. */
    public static int ofMalformed(int malformed) {
        return FIRST_MALFORMED + malformed;
    }

    /** A counter's name. */
    public static String name(int counter) {
        return counter < FIRST_MALFORMED ? NAMES[counter] : IbMalformed.name(counter - FIRST_MALFORMED);
    }

    /** A counter's value. */
    public long value(int counter) {
        return values[counter];
    }

    void add(int counter, long amount) {
        values[counter] += amount;
    }

    void count(int counter) {
        values[counter]++;
    }
}
