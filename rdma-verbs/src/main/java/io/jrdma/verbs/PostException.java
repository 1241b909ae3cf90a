package io.jrdma.verbs;

/** A post that was refused at one work request; those before it were posted, that one and those behind it were not. */
public final class PostException extends VerbsException {
    private static final long serialVersionUID = 1L;

    private final int badIndex;

    public PostException(Errno errno, int badIndex, String message) {
        super(errno, message);
        this.badIndex = badIndex;
    }

    /** The index, in the list that was posted, of the first work request that was not taken ({@code bad_wr} of verbs). */
    public int badIndex() {
        return badIndex;
    }
}
