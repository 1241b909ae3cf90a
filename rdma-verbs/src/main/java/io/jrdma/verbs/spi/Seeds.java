package io.jrdma.verbs.spi;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Derives seeds from a seed by name, so that one number decides everything and no two users of it see the same numbers. A child tells
 * nothing of its parent or of its siblings (SHA-256). Not for the data path.
 */
public final class Seeds {
    private Seeds() {}

    /** The seed of that name. */
    public static long child(long seed, String name) {
        return child(seed, name, 0);
    }

    /** The seed of that name and number, for things that are counted. */
    public static long child(long seed, String name, long number) {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java platform has SHA-256", impossible);
        }
        digest.update(ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(seed)
                .putLong(number)
                .array());
        return ByteBuffer.wrap(digest.digest(name.getBytes(StandardCharsets.UTF_8)))
                .getLong();
    }
}
