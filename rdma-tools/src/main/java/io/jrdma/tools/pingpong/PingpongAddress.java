package io.jrdma.tools.pingpong;

import io.jrdma.tools.Addresses;
import io.jrdma.tools.ToolException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where one side of a ping-pong receives: the line that {@code ibv_rc_pingpong} and its siblings exchange over TCP.
 *
 * @param lid local identifier, 0 on RoCE
 * @param qpNum queue pair number, 24 bits
 * @param psn first PSN that the sender of the line sends with, 24 bits
 * @param gid the address, in RoCE's form of a GID
 */
record PingpongAddress(int lid, int qpNum, int psn, InetAddress gid) {
    /** Bytes of a line with the 0 that ends it. */
    static final int LENGTH = "0000:000000:000000:00000000000000000000000000000000".length() + 1;

    private static final int GID_BYTES = 16;
    private static final Pattern LINE =
            Pattern.compile("([0-9a-fA-F]{4}):([0-9a-fA-F]{6}):([0-9a-fA-F]{6}):([0-9a-fA-F]{32})");

    /** The line as it goes over TCP. */
    byte[] line() {
        String text = String.format(
                Locale.ROOT,
                "%04x:%06x:%06x:%s",
                lid,
                qpNum,
                psn,
                HexFormat.of().formatHex(gidBytes()));
        byte[] bytes = new byte[LENGTH];
        System.arraycopy(text.getBytes(StandardCharsets.US_ASCII), 0, bytes, 0, LENGTH - 1);
        return bytes;
    }

    /**
     * Reads the peer's line.
     *
     * @throws ToolException naming the line, if it is not one
     */
    static PingpongAddress parse(byte[] line) {
        String text = new String(line, 0, LENGTH - 1, StandardCharsets.ISO_8859_1);
        Matcher fields = LINE.matcher(text);
        if (!fields.matches()) {
            throw ToolException.noConnection("the peer's address line is '" + text.replaceAll("\\P{Print}", "?")
                    + "'; LID:QPN:PSN:GID in hex is due: is it a ping-pong program?");
        }
        try {
            return new PingpongAddress(
                    Integer.parseInt(fields.group(1), 16),
                    Integer.parseInt(fields.group(2), 16),
                    Integer.parseInt(fields.group(3), 16),
                    InetAddress.getByAddress(HexFormat.of().parseHex(fields.group(4))));
        } catch (UnknownHostException impossible) {
            throw new IllegalStateException("a GID of 16 bytes is an address", impossible);
        }
    }

    /** IPv4 addresses are mapped: ::ffff:a.b.c.d. */
    private byte[] gidBytes() {
        byte[] address = gid.getAddress();
        if (address.length == GID_BYTES) {
            return address;
        }
        byte[] mapped = new byte[GID_BYTES];
        mapped[10] = (byte) 0xFF;
        mapped[11] = (byte) 0xFF;
        System.arraycopy(address, 0, mapped, GID_BYTES - address.length, address.length);
        return mapped;
    }

    /** As the C tool prints it. */
    @Override
    public String toString() {
        String shown = gid instanceof Inet6Address ? Addresses.plain(gid) : "::ffff:" + gid.getHostAddress();
        return String.format(Locale.ROOT, "LID 0x%04x, QPN 0x%06x, PSN 0x%06x, GID %s", lid, qpNum, psn, shown);
    }
}
