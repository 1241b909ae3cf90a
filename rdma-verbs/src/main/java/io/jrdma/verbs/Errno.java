package io.jrdma.verbs;

/** The errno values that verbs calls report, with Linux's numbers. */
public enum Errno {
    EPERM(1, "operation not permitted"),
    ENOENT(2, "no such object"),
    EAGAIN(11, "try again"),
    ENOMEM(12, "queue or table is full"),
    EACCES(13, "permission denied"),
    EBUSY(16, "in use"),
    ENODEV(19, "no such device"),
    EINVAL(22, "invalid argument"),
    EOPNOTSUPP(95, "operation not supported"),
    EADDRINUSE(98, "address in use"),
    EADDRNOTAVAIL(99, "address not available"),
    ENETUNREACH(101, "network unreachable"),
    ECONNRESET(104, "connection reset by peer"),
    EISCONN(106, "already connected"),
    ENOTCONN(107, "not connected"),
    ETIMEDOUT(110, "timed out"),
    ECONNREFUSED(111, "connection refused"),
    EHOSTUNREACH(113, "no route to host");

    private final int number;
    private final String text;

    Errno(int number, String text) {
        this.number = number;
        this.text = text;
    }

    /** Linux's number. */
    public int number() {
        return number;
    }

    /** A few words for people. */
    public String text() {
        return text;
    }
}
