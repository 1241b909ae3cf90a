package io.jrdma.netty;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.spi.ConnectFailure;
import io.netty.channel.ConnectTimeoutException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads errno out of what the JDK and Netty throw. */
final class SocketErrors {
    private static final Pattern NATIVE = Pattern.compile("failed with error\\(-?(\\d+)\\)");

    private SocketErrors() {}

    static ConnectFailure connectFailure(Throwable cause, InetSocketAddress remote) {
        Errno errno = errno(cause);
        ConnectFailure.Kind kind = switch (errno) {
            case ECONNREFUSED, ECONNRESET -> ConnectFailure.Kind.REFUSED;
            case ETIMEDOUT, ENETUNREACH, EHOSTUNREACH -> ConnectFailure.Kind.UNREACHABLE;
            default -> ConnectFailure.Kind.ERROR;
        };
        return new ConnectFailure(kind, errno, "connecting to " + Addresses.text(remote) + ": " + reason(cause, errno));
    }

    static VerbsException listenFailure(Throwable cause, InetSocketAddress local) {
        Errno errno = errno(cause);
        return new VerbsException(errno, "listening at " + Addresses.text(local) + ": " + reason(cause, errno), cause);
    }

    /** What went wrong, in few words: exceptions repeat the address and name the system's calls. */
    private static String reason(Throwable cause, Errno errno) {
        return errno == Errno.EINVAL ? text(cause) : errno.text();
    }

    static VerbsException bindFailure(Throwable cause, InetSocketAddress local) {
        Errno errno = errno(cause);
        String remedy = errno == Errno.EADDRINUSE ? ": take another local address, or another port on both sides" : "";
        return new VerbsException(
                errno,
                "UDP port " + local.getPort() + " at " + Addresses.text(local.getAddress()) + ": "
                        + reason(cause, errno) + remedy,
                cause);
    }

    /** Whether a datagram was refused because it was longer than the MTU (EMSGSIZE). */
    static boolean isTooLong(Throwable cause) {
        String text = text(cause).toLowerCase(Locale.ROOT);
        return text.contains("message too long") || text.contains("error(-90)");
    }

    private static String text(Throwable cause) {
        String message = cause.getMessage();
        return message == null ? cause.getClass().getSimpleName() : message;
    }

    /** The number, where the message has one; else by type and words; EINVAL if nothing fits. */
    static Errno errno(Throwable cause) {
        for (Throwable each = cause; each != null; each = each.getCause()) {
            Errno found = numbered(text(each));
            if (found != null) {
                return found;
            }
        }
        String text = text(cause).toLowerCase(Locale.ROOT);
        if (cause instanceof ConnectTimeoutException || text.contains("timed out")) {
            return Errno.ETIMEDOUT;
        }
        if (text.contains("refused")) {
            return Errno.ECONNREFUSED;
        }
        if (text.contains("network is unreachable")) {
            return Errno.ENETUNREACH;
        }
        if (cause instanceof NoRouteToHostException || text.contains("no route")) {
            return Errno.EHOSTUNREACH;
        }
        if (text.contains("reset")) {
            return Errno.ECONNRESET;
        }
        if (text.contains("in use")) {
            return Errno.EADDRINUSE;
        }
        if (text.contains("permission denied")) {
            return Errno.EACCES;
        }
        return cause instanceof BindException ? Errno.EADDRNOTAVAIL : Errno.EINVAL;
    }

    private static @org.jspecify.annotations.Nullable Errno numbered(String text) {
        Matcher matcher = NATIVE.matcher(text);
        if (matcher.find()) {
            int number = Integer.parseInt(matcher.group(1));
            for (Errno errno : Errno.values()) {
                if (errno.number() == number) {
                    return errno;
                }
            }
        }
        return null;
    }
}
