package io.jrdma.netty;

/** A bound UDP socket of one device: the two drivers behind {@link UdpPort}. Loop only, where nothing else is said. */
interface UdpSocket {
    /** Begins to hand what arrives to the port. */
    void start();

    /**
     * Whether several packets of an entry leave as one train, so that the system gives packet {@code i} of it identification {@code i};
     * else each packet is a datagram of its own with identification 0.
     */
    boolean sendsTrains();

    /**
     * Sends what the queue holds, from its first entry that is not sent on; what cannot be sent is counted and dropped.
     *
     * @return whether all is gone, and the memory of the queue free; if not, the socket is full, and the port hears of it by
     *     {@link UdpPort#onWritable}
     */
    boolean send(UdpSendQueue queue);

    /** Bytes that the system holds for the device. */
    int receiveBufferBytes();

    /** Closes it; harmless when repeated. Nothing arrives any more. */
    void close();

    /** Frees its memory; any thread, after the loop has ended. */
    void free();
}
