package io.jrdma.verbs;

/** The service type of a queue pair. */
public enum QpType {
    /** Reliable connected. */
    RC,
    /** Unreliable connected. */
    UC,
    /** Unreliable datagram. */
    UD
}
