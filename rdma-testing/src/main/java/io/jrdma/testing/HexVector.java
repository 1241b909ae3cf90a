package io.jrdma.testing;

/**
 * A test vector.
 *
 * @param source where the bytes come from
 * @param bytes the bytes; not copied
 */
@SuppressWarnings("ArrayRecordComponent") // vectors are never compared, and tests want the bytes as they are
public record HexVector(String source, byte[] bytes) {}
