package io.jrdma.verbs;

/** A verbs call that was refused: the caller's fault or a resource that ran out. The message names the thing, its value and what is allowed. */
public class VerbsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Errno errno;

    public VerbsException(Errno errno, String message) {
        super(errno + ": " + message);
        this.errno = errno;
    }

    public VerbsException(Errno errno, String message, Throwable cause) {
        super(errno + ": " + message, cause);
        this.errno = errno;
    }

    /** Which of the verbs' error numbers. */
    public Errno errno() {
        return errno;
    }
}
