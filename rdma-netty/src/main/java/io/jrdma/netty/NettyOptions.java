package io.jrdma.netty;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Objects;

/**
 * How the devices of a {@link NettyDriverProvider} use the network. Immutable; {@link #builder()} starts from {@link #RECOMMENDED}.
 *
 * @param backend Netty's way to the sockets; default {@link IoBackend#best()}
 * @param receiveBufferBytes size of the one receive buffer of a device on streams, and of what a RoCE device reads at once when packets
 *     come in trains, 4 KiB to 16 MiB, default 256 KiB
 * @param sendBufferBytes size of each send buffer, 128 KiB (an engine's largest claim) to 16 MiB, default 256 KiB. A device on streams has
 *     one for every stream whose socket is full, and a few spare ones; a RoCE device has one
 * @param connectTimeout limit for setting up a TCP connection, more than 0, default 10 s
 * @param linger how long a closed stream waits for its peer's end before it is dropped, more than 0, default 5 s
 * @param closeTimeout how long closing a device waits for its streams to end in good order, or for what waits to be sent, 0 or more,
 *     default 1 s
 * @param udpIo how a RoCE device reads and writes its socket; default {@link UdpIo#AUTO}
 * @param rocePort the UDP port of RoCE devices here, 1 to 65535, default 4791. Foreign peers know that one alone
 * @param rocePeerPort the UDP port that RoCE devices send to, 1 to 65535, default 4791
 * @param roceSocketReceiveBytes what the system shall hold for a busy RoCE device, 64 KiB to 64 MiB, default 8 MiB; it may give less
 * @param roceSocketSendBytes what the system shall take from a RoCE device while the network is busy, 64 KiB to 64 MiB, default 8 MiB; it
 *     may give less
 * @param rocePollTime how long the loop of a RoCE device goes on looking for packets after the last ones before it sleeps, 0 to 1 s, default
 *     50 us; it lets other threads run in between. Waking a thread takes longer than most waits of a stream. Automatic mode of the batch
 *     driver; what polls in manual mode decides for itself
 * @param sendWithNextPoll manual mode: what arrived makes something due, such as an acknowledgement; whether that leaves with the next
 *     call that makes progress, and with what the program posts in between, default false: at once. It saves a system call on the way of
 *     each short message, but peers wait for a program that takes a message and does not poll again
 */
public record NettyOptions(
        IoBackend backend,
        int receiveBufferBytes,
        int sendBufferBytes,
        Duration connectTimeout,
        Duration linger,
        Duration closeTimeout,
        UdpIo udpIo,
        int rocePort,
        int rocePeerPort,
        int roceSocketReceiveBytes,
        int roceSocketSendBytes,
        Duration rocePollTime,
        boolean sendWithNextPoll) {
    /** The UDP port of RoCEv2, registered with IANA. */
    // [IBTA-A17-1]
    private static final int ROCE_PORT = 4791;

    private static final int MIN_SOCKET_BYTES = 64 << 10;
    private static final int MAX_SOCKET_BYTES = 64 << 20;
    private static final int MAX_PORT = 65_535;
    private static final int MAX_BUFFER_BYTES = 16 << 20;
    private static final int MIN_RECEIVE_BUFFER_BYTES = 4 << 10;
    private static final int MIN_SEND_BUFFER_BYTES = 128 << 10;

    private static final Duration MAX_POLL_TIME = Duration.ofSeconds(1);

    /** The defaults. */
    public static final NettyOptions RECOMMENDED = new NettyOptions(
            IoBackend.best(),
            256 << 10,
            256 << 10,
            Duration.ofSeconds(10),
            Duration.ofSeconds(5),
            Duration.ofSeconds(1),
            UdpIo.AUTO,
            ROCE_PORT,
            ROCE_PORT,
            8 << 20,
            8 << 20,
            Duration.ofNanos(50_000),
            false);

    public NettyOptions {
        Objects.requireNonNull(backend);
        Objects.requireNonNull(udpIo);
        checkRange("receiveBufferBytes", receiveBufferBytes, MIN_RECEIVE_BUFFER_BYTES, MAX_BUFFER_BYTES);
        checkRange("sendBufferBytes", sendBufferBytes, MIN_SEND_BUFFER_BYTES, MAX_BUFFER_BYTES);
        checkRange("rocePort", rocePort, 1, MAX_PORT);
        checkRange("rocePeerPort", rocePeerPort, 1, MAX_PORT);
        checkRange("roceSocketReceiveBytes", roceSocketReceiveBytes, MIN_SOCKET_BYTES, MAX_SOCKET_BYTES);
        checkRange("roceSocketSendBytes", roceSocketSendBytes, MIN_SOCKET_BYTES, MAX_SOCKET_BYTES);
        checkDuration("connectTimeout", connectTimeout, 1);
        checkDuration("linger", linger, 1);
        checkDuration("closeTimeout", closeTimeout, 0);
        if (rocePollTime.isNegative() || rocePollTime.compareTo(MAX_POLL_TIME) > 0) {
            throw new IllegalArgumentException(
                    "rocePollTime " + text(rocePollTime) + " is outside 0.." + text(MAX_POLL_TIME));
        }
    }

    private static void checkRange(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " " + value + " is outside " + min + ".." + max);
        }
    }

    private static void checkDuration(String name, Duration value, long minMillis) {
        if (value.toMillis() < minMillis || value.toMillis() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(name + " " + text(value) + " is outside " + minMillis + " ms..24 days");
        }
    }

    private static String text(Duration value) {
        return value.toNanosPart() == 0
                ? value.toSeconds() + " s"
                : BigDecimal.valueOf(value.toNanos(), 6).stripTrailingZeros().toPlainString() + " ms";
    }

    /** A builder that starts from {@link #RECOMMENDED}. */
    public static Builder builder() {
        return new Builder(RECOMMENDED);
    }

    /** Collects changes; see {@link NettyOptions} for what each means. */
    public static final class Builder {
        private IoBackend backend;
        private int receiveBufferBytes;
        private int sendBufferBytes;
        private Duration connectTimeout;
        private Duration linger;
        private Duration closeTimeout;
        private UdpIo udpIo;
        private int rocePort;
        private int rocePeerPort;
        private int roceSocketReceiveBytes;
        private int roceSocketSendBytes;
        private Duration rocePollTime;
        private boolean sendWithNextPoll;

        private Builder(NettyOptions from) {
            backend = from.backend;
            receiveBufferBytes = from.receiveBufferBytes;
            sendBufferBytes = from.sendBufferBytes;
            connectTimeout = from.connectTimeout;
            linger = from.linger;
            closeTimeout = from.closeTimeout;
            udpIo = from.udpIo;
            rocePort = from.rocePort;
            rocePeerPort = from.rocePeerPort;
            roceSocketReceiveBytes = from.roceSocketReceiveBytes;
            roceSocketSendBytes = from.roceSocketSendBytes;
            rocePollTime = from.rocePollTime;
            sendWithNextPoll = from.sendWithNextPoll;
        }

        public Builder backend(IoBackend value) {
            backend = value;
            return this;
        }

        public Builder receiveBufferBytes(int value) {
            receiveBufferBytes = value;
            return this;
        }

        public Builder sendBufferBytes(int value) {
            sendBufferBytes = value;
            return this;
        }

        public Builder connectTimeout(Duration value) {
            connectTimeout = value;
            return this;
        }

        public Builder linger(Duration value) {
            linger = value;
            return this;
        }

        public Builder closeTimeout(Duration value) {
            closeTimeout = value;
            return this;
        }

        public Builder udpIo(UdpIo value) {
            udpIo = value;
            return this;
        }

        public Builder rocePort(int value) {
            rocePort = value;
            return this;
        }

        public Builder rocePeerPort(int value) {
            rocePeerPort = value;
            return this;
        }

        public Builder roceSocketReceiveBytes(int value) {
            roceSocketReceiveBytes = value;
            return this;
        }

        public Builder roceSocketSendBytes(int value) {
            roceSocketSendBytes = value;
            return this;
        }

        public Builder rocePollTime(Duration value) {
            rocePollTime = value;
            return this;
        }

        public Builder sendWithNextPoll(boolean value) {
            sendWithNextPoll = value;
            return this;
        }

        /** The options; throws {@link IllegalArgumentException} naming the value that is out of range. */
        public NettyOptions build() {
            return new NettyOptions(
                    backend,
                    receiveBufferBytes,
                    sendBufferBytes,
                    connectTimeout,
                    linger,
                    closeTimeout,
                    udpIo,
                    rocePort,
                    rocePeerPort,
                    roceSocketReceiveBytes,
                    roceSocketSendBytes,
                    rocePollTime,
                    sendWithNextPoll);
        }
    }
}
