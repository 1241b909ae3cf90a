package io.jrdma.tools;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** Names and addresses, from and to text. */
public final class Addresses {
    private Addresses() {}

    /**
     * The first address of a name, or the address that the text is.
     *
     * @param option what the text was given for
     */
    public static InetAddress resolve(String option, String text) {
        // which Java takes for this host
        if (text.isBlank()) {
            throw ToolException.usage(option + " is empty; allowed are an IPv4 or IPv6 address and a known host name");
        }
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException failure) {
            throw ToolException.usage(
                    option + " " + text + ": no such host; allowed are an IPv4 or IPv6 address and a known host name");
        }
    }

    /** Address and port as people write them. */
    public static String text(InetSocketAddress address) {
        return text(address.getAddress()) + ":" + address.getPort();
    }

    /** The address as people write it before a port. */
    public static String text(InetAddress address) {
        String plain = plain(address);
        return address instanceof Inet6Address ? "[" + plain + "]" : plain;
    }

    /** The address alone, the longest run of zeros of an IPv6 one left out. */
    public static String plain(InetAddress address) {
        if (!(address instanceof Inet6Address six)) {
            return address.getHostAddress();
        }
        byte[] bytes = six.getAddress();
        int bestAt = -1;
        int bestLength = 1;
        for (int from = 0; from < 8; from++) {
            int length = 0;
            while (from + length < 8 && bytes[2 * (from + length)] == 0 && bytes[2 * (from + length) + 1] == 0) {
                length++;
            }
            if (length > bestLength) {
                bestAt = from;
                bestLength = length;
            }
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 8; i++) {
            if (i == bestAt) {
                text.append("::");
                i += bestLength - 1;
            } else {
                if (!text.isEmpty() && text.charAt(text.length() - 1) != ':') {
                    text.append(':');
                }
                text.append(Integer.toHexString(((bytes[2 * i] & 0xFF) << 8) | (bytes[2 * i + 1] & 0xFF)));
            }
        }
        String scope = six.getHostAddress();
        int percent = scope.indexOf('%');
        return text + (percent < 0 ? "" : scope.substring(percent));
    }
}
