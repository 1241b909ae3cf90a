package io.jrdma.testkit.sim;

/** Reads seeds as people give them. */
public final class SeedText {
    private SeedText() {}

    /**
     * A decimal number of 64 bits, or a hexadecimal one of 16 digits or more, such as a commit's id, of which the first 16 count.
     *
     * @throws IllegalArgumentException if it is neither
     */
    public static long parse(String text) {
        String plain = text.strip();
        try {
            if (plain.matches("-?[0-9]{1,19}")) {
                return Long.parseLong(plain);
            }
            if (plain.matches("[0-9a-fA-F]{16,}")) {
                return Long.parseUnsignedLong(plain.substring(0, 16), 16);
            }
        } catch (NumberFormatException beyond) {
            throw new IllegalArgumentException("seed " + text + " is beyond 64 bits", beyond);
        }
        throw new IllegalArgumentException("seed " + text + " is neither a number nor 16 or more hexadecimal digits");
    }
}
