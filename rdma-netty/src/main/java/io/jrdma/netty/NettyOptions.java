package io.jrdma.netty;

import java.time.Duration;
import java.util.Objects;

/**
 * How the devices of a {@link NettyDriverProvider} use the network. Immutable; {@link #builder()} starts from {@link #RECOMMENDED}.
 *
 * @param backend Netty's way to the sockets; default {@link IoBackend#best()}
 * @param receiveBufferBytes size of the one receive buffer of a device, 4 KiB to 16 MiB, default 256 KiB: what one read takes at most
 * @param sendBufferBytes size of each send buffer, 128 KiB (an engine's largest claim) to 16 MiB, default 256 KiB. A device has one for
 *     every stream whose socket is full, and a few spare ones
 * @param connectTimeout limit for setting up a TCP connection, more than 0, default 10 s
 * @param linger how long a closed stream waits for its peer's end before it is dropped, more than 0, default 5 s
 * @param closeTimeout how long closing a device waits for its streams to end in good order, 0 or more, default 1 s
 */
public record NettyOptions(
        IoBackend backend,
        int receiveBufferBytes,
        int sendBufferBytes,
        Duration connectTimeout,
        Duration linger,
        Duration closeTimeout) {
    private static final int MAX_BUFFER_BYTES = 16 << 20;
    private static final int MIN_RECEIVE_BUFFER_BYTES = 4 << 10;
    private static final int MIN_SEND_BUFFER_BYTES = 128 << 10;

    /** The defaults. */
    public static final NettyOptions RECOMMENDED = new NettyOptions(
            IoBackend.best(),
            256 << 10,
            256 << 10,
            Duration.ofSeconds(10),
            Duration.ofSeconds(5),
            Duration.ofSeconds(1));

    public NettyOptions {
        Objects.requireNonNull(backend);
        checkRange("receiveBufferBytes", receiveBufferBytes, MIN_RECEIVE_BUFFER_BYTES);
        checkRange("sendBufferBytes", sendBufferBytes, MIN_SEND_BUFFER_BYTES);
        checkDuration("connectTimeout", connectTimeout, 1);
        checkDuration("linger", linger, 1);
        checkDuration("closeTimeout", closeTimeout, 0);
    }

    private static void checkRange(String name, int value, int min) {
        if (value < min || value > MAX_BUFFER_BYTES) {
            throw new IllegalArgumentException(name + " " + value + " is outside " + min + ".." + MAX_BUFFER_BYTES);
        }
    }

    private static void checkDuration(String name, Duration value, long minMillis) {
        if (value.toMillis() < minMillis || value.toMillis() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(name + " " + value + " is outside " + minMillis + " ms..24 days");
        }
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

        private Builder(NettyOptions from) {
            backend = from.backend;
            receiveBufferBytes = from.receiveBufferBytes;
            sendBufferBytes = from.sendBufferBytes;
            connectTimeout = from.connectTimeout;
            linger = from.linger;
            closeTimeout = from.closeTimeout;
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

        /** The options; throws {@link IllegalArgumentException} naming the value that is out of range. */
        public NettyOptions build() {
            return new NettyOptions(backend, receiveBufferBytes, sendBufferBytes, connectTimeout, linger, closeTimeout);
        }
    }
}
