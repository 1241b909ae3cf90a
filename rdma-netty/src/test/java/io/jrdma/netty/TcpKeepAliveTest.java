package io.jrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.DeviceOptions;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.uring.IoUringChannelOption;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What the system is told to do about a silent TCP peer. */
class TcpKeepAliveTest {
    static Stream<IoBackend> backends() {
        return Stream.of(IoBackend.values()).filter(IoBackend::isAvailable);
    }

    private static List<ChannelOption<Integer>> options(IoBackend backend) {
        return switch (backend) {
            case EPOLL ->
                List.of(
                        EpollChannelOption.TCP_KEEPIDLE,
                        EpollChannelOption.TCP_KEEPINTVL,
                        EpollChannelOption.TCP_KEEPCNT);
            case IO_URING ->
                List.of(
                        IoUringChannelOption.TCP_KEEPIDLE,
                        IoUringChannelOption.TCP_KEEPINTVL,
                        IoUringChannelOption.TCP_KEEPCNT);
            case NIO ->
                List.of(
                        NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE),
                        NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL),
                        NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT));
        };
    }

    /** Hands out the configuration of a channel of such a device. */
    private static void configure(IoBackend backend, Duration peerTimeout, Consumer<ChannelConfig> check) {
        NettyOptions options = NettyOptions.builder().backend(backend).build();
        DriverLoop loop = new DriverLoop(options, true);
        TcpStreams streams =
                new TcpStreams(loop, options, new PatternTransport(), InetAddress.getLoopbackAddress(), peerTimeout);
        SocketChannel channel = backend.socket();
        try {
            streams.configure(channel);
            check.accept(channel.config());
        } finally {
            channel.unsafe().closeForcibly();
            streams.free();
            loop.stop();
        }
    }

    @ParameterizedTest
    @MethodSource("backends")
    void aSilentPeerIsAskedFiveTimesInTheLastThirdOfItsTime(IoBackend backend) {
        configure(backend, DeviceOptions.DEFAULT.peerTimeout(), config -> {
            assertThat(config.getOption(ChannelOption.SO_KEEPALIVE)).isTrue();
            assertThat(options(backend)).extracting(config::getOption).containsExactly(30, 3, 5);
        });
    }

    /** The system counts in seconds, so that the shortest time comes out a second longer. */
    @ParameterizedTest
    @CsvSource({"5, 1, 1", "6, 1, 1", "20, 15, 1", "43200, 28800, 2880"})
    void everyTimeThatIsAllowedCanBeSet(int seconds, int idle, int probe) {
        IoBackend backend = IoBackend.best();
        configure(
                backend,
                Duration.ofSeconds(seconds),
                config -> assertThat(options(backend))
                        .extracting(config::getOption)
                        .containsExactly(idle, probe, 5));
    }

    @ParameterizedTest
    @MethodSource("backends")
    void withoutALimitNobodyIsAsked(IoBackend backend) {
        configure(
                backend,
                Duration.ZERO,
                config ->
                        assertThat(config.getOption(ChannelOption.SO_KEEPALIVE)).isFalse());
    }
}
