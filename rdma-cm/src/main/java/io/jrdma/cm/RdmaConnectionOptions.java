package io.jrdma.cm;

import io.jrdma.verbs.DeviceOptions;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How the short way makes its connections. Immutable; the {@code with...} methods give changed copies.
 *
 * @param parameters what this side brings to each connection; default {@link ConnectionParameters#RECOMMENDED}
 * @param device how the device is opened; default {@link DeviceOptions#DEFAULT}
 * @param timeout the longest that connecting may take, and closing; more than 0; default 10 s
 * @param messageBytes the longest message that can be received, and the longest that is sent from unregistered memory, in bytes, 1 or
 *     more; both ends should agree on it; default 16384
 * @param receiveBuffers receives that are posted at any time, 1 or more; default 64. Each takes {@code messageBytes} of memory
 * @param queuedMessages messages that may wait for {@link RdmaConnection#receive} before receives are no longer posted again, 1 or more;
 *     default 1024
 * @param sendDepth operations that may be under way at once, 1 or more; default 128
 * @param backlog server: requests that may wait, see {@link RdmaCmId#listen(int)}; default 0
 * @param source client: the own address to connect from, and the port, where 0 leaves it to the system; it decides on the device. Null, the
 *     default, leaves the address to the route
 */
public record RdmaConnectionOptions(
        ConnectionParameters parameters,
        DeviceOptions device,
        Duration timeout,
        int messageBytes,
        int receiveBuffers,
        int queuedMessages,
        int sendDepth,
        int backlog,
        @Nullable InetSocketAddress source) {
    /** The defaults. */
    public static final RdmaConnectionOptions RECOMMENDED = new RdmaConnectionOptions(
            ConnectionParameters.RECOMMENDED,
            DeviceOptions.DEFAULT,
            Duration.ofSeconds(10),
            16_384,
            64,
            1024,
            128,
            0,
            null);

    public RdmaConnectionOptions {
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("timeout " + Durations.text(timeout) + " is not more than 0");
        }
        positive("messageBytes", messageBytes);
        positive("receiveBuffers", receiveBuffers);
        positive("queuedMessages", queuedMessages);
        positive("sendDepth", sendDepth);
        if (backlog < 0) {
            throw new IllegalArgumentException("backlog " + backlog + " is less than 0");
        }
    }

    /** The same with those connection parameters. */
    public RdmaConnectionOptions withParameters(ConnectionParameters value) {
        return new RdmaConnectionOptions(
                value, device, timeout, messageBytes, receiveBuffers, queuedMessages, sendDepth, backlog, source);
    }

    /** The same with that private data in its connection parameters. */
    public RdmaConnectionOptions withPrivateData(byte[] value) {
        return withParameters(parameters.toBuilder().privateData(value).build());
    }

    /** The same with devices opened that way. */
    public RdmaConnectionOptions withDevice(DeviceOptions value) {
        return new RdmaConnectionOptions(
                parameters, value, timeout, messageBytes, receiveBuffers, queuedMessages, sendDepth, backlog, source);
    }

    /** The same with that time limit. */
    public RdmaConnectionOptions withTimeout(Duration value) {
        return new RdmaConnectionOptions(
                parameters, device, value, messageBytes, receiveBuffers, queuedMessages, sendDepth, backlog, source);
    }

    /** The same with that length of messages and that many receives. */
    public RdmaConnectionOptions withReceives(int newMessageBytes, int newReceiveBuffers) {
        return new RdmaConnectionOptions(
                parameters,
                device,
                timeout,
                newMessageBytes,
                newReceiveBuffers,
                queuedMessages,
                sendDepth,
                backlog,
                source);
    }

    /** The same with that many messages kept for the application. */
    public RdmaConnectionOptions withQueuedMessages(int value) {
        return new RdmaConnectionOptions(
                parameters, device, timeout, messageBytes, receiveBuffers, value, sendDepth, backlog, source);
    }

    /** The same with that many operations under way at once. */
    public RdmaConnectionOptions withSendDepth(int value) {
        return new RdmaConnectionOptions(
                parameters, device, timeout, messageBytes, receiveBuffers, queuedMessages, value, backlog, source);
    }

    /** The same with that backlog. */
    public RdmaConnectionOptions withBacklog(int value) {
        return new RdmaConnectionOptions(
                parameters, device, timeout, messageBytes, receiveBuffers, queuedMessages, sendDepth, value, source);
    }

    /** The same with connections from that address, and from that port unless it is 0. */
    public RdmaConnectionOptions withSource(@Nullable InetSocketAddress value) {
        return new RdmaConnectionOptions(
                parameters, device, timeout, messageBytes, receiveBuffers, queuedMessages, sendDepth, backlog, value);
    }

    private static void positive(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " " + value + " is less than 1");
        }
    }
}
