package io.jrdma.wire.cm;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * One path between two ports, as a REQ has two and a LAP one; local and remote as the sender of the message sees it (IBTA volume 1, 12.7).
 *
 * <p>With RoCEv2 GIDs, flow label, traffic class and hop limit count; LIDs, rate and service level do not.
 *
 * @param localLid 0..65535
 * @param remoteLid 0..65535
 * @param localGid address of the sender
 * @param remoteGid address of the receiver
 * @param flowLabel 0..2^20-1
 * @param packetRate 0..63
 * @param trafficClass 0..255
 * @param hopLimit 0..255
 * @param serviceLevel 0..15
 * @param subnetLocal whether no router is on the way
 * @param localAckTimeout exponent, 0..31: what the receiver's QP takes as its timeout
 */
public record CmPath(
        int localLid,
        int remoteLid,
        Gid localGid,
        Gid remoteGid,
        int flowLabel,
        int packetRate,
        int trafficClass,
        int hopLimit,
        int serviceLevel,
        boolean subnetLocal,
        int localAckTimeout) {
    /** No path: all zero. In a REQ the alternate path is there if its local LID is not 0. */
    public static final CmPath NONE = new CmPath(0, 0, Gid.NONE, Gid.NONE, 0, 0, 0, 0, 0, false, 0);

    private static final int PERMISSIVE_LID = 0xFFFF;

    // counted from the local LID of a REQ
    private static final int REMOTE_LID = 2;
    private static final int LOCAL_GID = 4;
    private static final int REMOTE_GID = 20;
    private static final int FLOW_AND_RATE = 36;
    private static final int TRAFFIC_CLASS = 40;
    private static final int HOP_LIMIT = 41;
    private static final int SERVICE_LEVEL = 42;
    private static final int ACK_TIMEOUT = 43;

    // counted from the local LID of a LAP, where they are different
    private static final int LAP_FLOW = 36;
    private static final int LAP_TRAFFIC_CLASS = 39;
    private static final int LAP_HOP_LIMIT = 40;
    private static final int LAP_RATE = 41;

    /** Checks the ranges. */
    public CmPath {
        Fields.u16("localLid", localLid);
        Fields.u16("remoteLid", remoteLid);
        Fields.check("flowLabel", flowLabel, 0xF_FFFF);
        Fields.check("packetRate", packetRate, 63);
        Fields.u8("trafficClass", trafficClass);
        Fields.u8("hopLimit", hopLimit);
        Fields.check("serviceLevel", serviceLevel, 15);
        Fields.timeout("localAckTimeout", localAckTimeout);
    }

    /**
     * A path of RoCEv2: LIDs are permissive when routers may be on the way and else 0, as Linux has it; rate and service level are 0.
     *
     * @param flowLabel 0..2^20-1
     * @param trafficClass 0..255
     * @param hopLimit 0..255
     * @param localAckTimeout exponent, 1..31; 0 makes a Linux peer send again all the time
     */
    public static CmPath roce(
            Gid local, Gid remote, int flowLabel, int trafficClass, int hopLimit, int localAckTimeout) {
        boolean subnetLocal = hopLimit <= 1;
        int lid = subnetLocal ? 0 : PERMISSIVE_LID;
        return new CmPath(
                lid, lid, local, remote, flowLabel, 0, trafficClass, hopLimit, 0, subnetLocal, localAckTimeout);
    }

    static CmPath ofReq(MemorySegment body, long at) {
        int flowAndRate = Bytes.u32(body, at + FLOW_AND_RATE);
        return of(
                body,
                at,
                flowAndRate >>> 12,
                flowAndRate & 63,
                Bytes.u8(body, at + TRAFFIC_CLASS),
                Bytes.u8(body, at + HOP_LIMIT));
    }

    static CmPath ofLap(MemorySegment body, long at) {
        return of(
                body,
                at,
                Bytes.u24(body, at + LAP_FLOW) >>> 4,
                Bytes.u8(body, at + LAP_RATE) & 63,
                Bytes.u8(body, at + LAP_TRAFFIC_CLASS),
                Bytes.u8(body, at + LAP_HOP_LIMIT));
    }

    private static CmPath of(
            MemorySegment body, long at, int flowLabel, int packetRate, int trafficClass, int hopLimit) {
        int level = Bytes.u8(body, at + SERVICE_LEVEL);
        return new CmPath(
                Bytes.u16(body, at),
                Bytes.u16(body, at + REMOTE_LID),
                Gid.at(body, at + LOCAL_GID),
                Gid.at(body, at + REMOTE_GID),
                flowLabel,
                packetRate,
                trafficClass,
                hopLimit,
                level >>> 4,
                (level & 8) != 0,
                Bytes.u8(body, at + ACK_TIMEOUT) >>> 3);
    }

    void putReq(MemorySegment body, long at) {
        put(body, at);
        Bytes.putU32(body, at + FLOW_AND_RATE, (flowLabel << 12) | packetRate);
        Bytes.putU8(body, at + TRAFFIC_CLASS, trafficClass);
        Bytes.putU8(body, at + HOP_LIMIT, hopLimit);
    }

    void putLap(MemorySegment body, long at) {
        put(body, at);
        Bytes.putU24(body, at + LAP_FLOW, flowLabel << 4);
        Bytes.putU8(body, at + LAP_TRAFFIC_CLASS, trafficClass);
        Bytes.putU8(body, at + LAP_HOP_LIMIT, hopLimit);
        Bytes.putU8(body, at + LAP_RATE, packetRate);
    }

    private void put(MemorySegment body, long at) {
        Bytes.putU16(body, at, localLid);
        Bytes.putU16(body, at + REMOTE_LID, remoteLid);
        localGid.put(body, at + LOCAL_GID);
        remoteGid.put(body, at + REMOTE_GID);
        Bytes.putU8(body, at + SERVICE_LEVEL, (serviceLevel << 4) | Fields.bit(subnetLocal, 3));
        Bytes.putU8(body, at + ACK_TIMEOUT, localAckTimeout << 3);
    }
}
