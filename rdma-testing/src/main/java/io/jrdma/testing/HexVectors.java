package io.jrdma.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;

/**
 * Loads test vectors: one file each, whose first line says where the bytes come from.
 *
 * <pre>
 * # source: RFC 5044 figure 5
 * 002a4143 00000000   # anything behind a hash is a comment
 * </pre>
 */
public final class HexVectors {
    private static final String SOURCE = "# source: ";

    private HexVectors() {}

    /**
     * Loads a vector from the class path.
     *
     * @param owner the class beside whose class path the resource stands
     * @param resource absolute resource name, for example {@code /vectors/iwarp/send.hex}
     * @throws IllegalArgumentException if there is no such resource or it is not of the form above
     */
    public static HexVector load(Class<?> owner, String resource) {
        try (InputStream in = owner.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalArgumentException("no resource " + resource);
            }
            return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8), resource);
        } catch (IOException e) {
            throw new UncheckedIOException(resource, e);
        }
    }

    /**
     * Parses the text of a vector.
     *
     * @param name for messages
     * @throws IllegalArgumentException if the first line is no source line or a line is not hex
     */
    public static HexVector parse(String text, String name) {
        List<String> lines = text.lines().toList();
        if (lines.isEmpty() || !lines.getFirst().startsWith(SOURCE)) {
            throw new IllegalArgumentException(name + ": the first line must start with '" + SOURCE + "'");
        }
        StringBuilder digits = new StringBuilder();
        for (String line : lines) {
            int comment = line.indexOf('#');
            digits.append((comment < 0 ? line : line.substring(0, comment)).replaceAll("\\s", ""));
        }
        return new HexVector(
                lines.getFirst().substring(SOURCE.length()).strip(),
                HexFormat.of().parseHex(digits));
    }

    /** Bytes from hex digits, white space ignored. */
    public static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex.replaceAll("\\s", ""));
    }
}
