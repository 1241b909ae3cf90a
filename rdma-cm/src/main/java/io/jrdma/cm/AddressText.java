package io.jrdma.cm;

import io.jrdma.wire.cm.Gid;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Addresses as people write them: without the names that they were looked up by, IPv6 ones short. */
final class AddressText {
    private AddressText() {}

    static String of(InetAddress address) {
        String scoped = address.getHostAddress();
        int scope = scoped.indexOf('%');
        return Gid.of(address.getAddress()) + (scope < 0 ? "" : scoped.substring(scope));
    }

    /** Address and port; what an address is not known of as it is. */
    static String of(@Nullable InetSocketAddress end) {
        if (end == null || end.getAddress() == null) {
            return String.valueOf(end);
        }
        String address = of(end.getAddress());
        return (end.getAddress() instanceof Inet6Address ? "[" + address + "]" : address) + ":" + end.getPort();
    }
}
