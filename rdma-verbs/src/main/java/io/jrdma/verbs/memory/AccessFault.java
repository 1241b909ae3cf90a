package io.jrdma.verbs.memory;

/** Why an access to registered memory was refused; {@link #NONE} if it was not. Checked in the order of declaration. */
public enum AccessFault {
    NONE("no fault"),
    INVALID_KEY("no region has that key, or it was invalidated"),
    WRONG_PROTECTION_DOMAIN("the region belongs to another protection domain"),
    NO_RIGHTS("the region does not grant that right"),
    ADDRESS_WRAP("address plus length passes 2^64"),
    OUT_OF_BOUNDS("the range is not inside the region"),
    MEMORY_GONE("the memory behind the region was freed");

    private final String text;

    AccessFault(String text) {
        this.text = text;
    }

    /** A few words for people. */
    public String text() {
        return text;
    }
}
