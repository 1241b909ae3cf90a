package io.jrdma.interop.peer;

/** The guest itself failed: it crashed, hung or never came up. The message ends with its console. */
public final class GuestFailure extends AssertionError {
    GuestFailure(String message, String consoleTail, Throwable cause) {
        super(message + "\nThe guest's console ends with:\n" + consoleTail.indent(4), cause);
    }

    GuestFailure(String message, String consoleTail) {
        super(message + "\nThe guest's console ends with:\n" + consoleTail.indent(4));
    }
}
