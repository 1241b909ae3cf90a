package io.jrdma.wire.cm;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * What the RDMA IP CM service puts at the start of the private data of a REQ and a SIDR_REQ: who connects to which address (IBTA annex
 * A11). The destination's port is in the service id.
 *
 * <pre>
 *  0  version 0 (4 bits: major, 4: minor)    1  IP version (4 bits), reserved (4)    2  source port (2)
 *  4  source address (16)                   20  destination address (16)
 * </pre>
 *
 * <p>An IPv4 address stands in the last four bytes of its field with zeros before it; in this record it is its {@link Gid} like any other
 * address.
 *
 * @param sourcePort the sender's port, 0..65535
 * @param source the sender's address
 * @param destination the receiver's address; it is IPv4 on the wire if both are
 */
public record IpCmPrivateData(int sourcePort, Gid source, Gid destination) {
    /** Bytes. */
    public static final int LENGTH = 36;

    private static final int VERSION = 0;
    private static final int IPV4 = 4;
    private static final int IPV6 = 6;

    private static final int IP_VERSION = 1;
    private static final int SOURCE_PORT = 2;
    private static final int SOURCE = 4;
    private static final int DESTINATION = 20;

    /** Checks the port. */
    public IpCmPrivateData {
        Fields.u16("sourcePort", sourcePort);
    }

    /** {@link CmMalformed#OK} if private data start with this, or what is wrong. */
    public static CmMalformed check(CmBytes privateData) {
        if (privateData.length() < LENGTH) {
            return CmMalformed.LENGTH;
        }
        MemorySegment data = MemorySegment.ofArray(privateData.toByteArray());
        // [IBTA-A11-1] version 0 is the only one
        if (Bytes.u8(data, 0) != VERSION) {
            return CmMalformed.IP_CM_VERSION;
        }
        int ipVersion = Bytes.u8(data, IP_VERSION) >>> 4;
        return ipVersion == IPV4 || ipVersion == IPV6 ? CmMalformed.OK : CmMalformed.IP_VERSION;
    }

    /**
     * Reads it.
     *
     * @param privateData what {@link #check} found good
     * @throws IllegalArgumentException if it is not: the caller did not ask
     */
    public static IpCmPrivateData of(CmBytes privateData) {
        CmMalformed malformed = check(privateData);
        if (malformed != CmMalformed.OK) {
            throw new IllegalArgumentException("not checked: " + malformed);
        }
        MemorySegment data = MemorySegment.ofArray(privateData.toByteArray());
        boolean ipv4 = Bytes.u8(data, IP_VERSION) >>> 4 == IPV4;
        return new IpCmPrivateData(
                Bytes.u16(data, SOURCE_PORT), address(data, SOURCE, ipv4), address(data, DESTINATION, ipv4));
    }

    private static Gid address(MemorySegment data, long at, boolean ipv4) {
        // Linux looks at nothing but the last four bytes either
        return ipv4 ? Gid.ofIpv4(Bytes.u32(data, at + 12)) : Gid.at(data, at);
    }

    /** What is behind it: the consumer's data. */
    public static CmBytes consumerData(CmBytes privateData) {
        return privateData.from(LENGTH);
    }

    /** The 36 bytes and the consumer's data behind them: 56 bytes of a REQ, 180 of a SIDR_REQ. */
    public CmBytes with(CmBytes consumerData) {
        byte[] bytes = new byte[LENGTH];
        MemorySegment data = MemorySegment.ofArray(bytes);
        Bytes.putU8(data, 0, VERSION);
        boolean ipv4 = source.isIpv4() && destination.isIpv4();
        Bytes.putU8(data, IP_VERSION, (ipv4 ? IPV4 : IPV6) << 4);
        Bytes.putU16(data, SOURCE_PORT, sourcePort);
        put(data, SOURCE, source, ipv4);
        put(data, DESTINATION, destination, ipv4);
        return CmBytes.of(bytes).plus(consumerData);
    }

    private static void put(MemorySegment data, long at, Gid address, boolean ipv4) {
        if (ipv4) {
            Bytes.putU32(data, at + 12, (int) address.low());
        } else {
            address.put(data, at);
        }
    }
}
