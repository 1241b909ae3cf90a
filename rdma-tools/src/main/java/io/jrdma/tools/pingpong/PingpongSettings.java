package io.jrdma.tools.pingpong;

import java.time.Duration;

/**
 * What a ping-pong was asked to do, after all checks.
 *
 * @param size bytes of a message
 * @param mtu path MTU in bytes
 * @param receiveDepth receives posted at once
 * @param iterations messages each way
 * @param events whether to sleep for completions instead of polling
 * @param validate whether to check what arrived
 * @param patience how long nothing may happen
 * @param linger how long a client that is through goes on to acknowledge what is repeated
 */
record PingpongSettings(
        int size,
        int mtu,
        int receiveDepth,
        int iterations,
        boolean events,
        boolean validate,
        Duration patience,
        Duration linger) {}
