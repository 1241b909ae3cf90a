package io.jrdma.wire.cm;

/** What bytes that came as a management datagram turned out to be. */
public sealed interface CmDecoded permits CmMad, CmDecoded.Refused {
    /**
     * They are to be dropped.
     *
     * @param reason never {@link CmMalformed#OK}
     */
    record Refused(CmMalformed reason) implements CmDecoded {}
}
