package io.jrdma.wire.cm;

/** Every reason not to read a management datagram, or what the RDMA IP CM service has in one. */
public enum CmMalformed {
    /** Nothing wrong. */
    OK,
    /** Not 256 bytes. */
    LENGTH,
    /** A base version other than 1. */
    BASE_VERSION,
    /** Not communication management. */
    MANAGEMENT_CLASS,
    /** A class version other than 2. */
    CLASS_VERSION,
    /** A method other than Send. */
    METHOD,
    /** An attribute that is no message of communication management. */
    ATTRIBUTE_UNKNOWN,
    /** RDMA IP CM service: a version other than 0. */
    IP_CM_VERSION,
    /** RDMA IP CM service: neither IPv4 nor IPv6. */
    IP_VERSION
}
