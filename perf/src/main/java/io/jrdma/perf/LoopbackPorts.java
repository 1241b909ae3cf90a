package io.jrdma.perf;

import io.jrdma.netty.NettyDriverProvider;
import io.jrdma.netty.NettyOptions;
import io.jrdma.verbs.DeviceOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** UDP ports for two RoCE devices at the loopback address, which cannot share RoCE's own. */
record LoopbackPorts(int passivePort, int activePort) {
    /** Two that are free in this moment. */
    static LoopbackPorts choose() {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (DatagramSocket one = new DatagramSocket(any);
                DatagramSocket other = new DatagramSocket(any)) {
            return new LoopbackPorts(one.getLocalPort(), other.getLocalPort());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    DeviceOptions passive() {
        return options(NettyOptions.builder(), passivePort, activePort);
    }

    DeviceOptions active() {
        return options(NettyOptions.builder(), activePort, passivePort);
    }

    /** The same for a thread that polls without pause. */
    DeviceOptions passive(boolean sendWithNextPoll) {
        return manual(sendWithNextPoll, passivePort, activePort);
    }

    DeviceOptions active(boolean sendWithNextPoll) {
        return manual(sendWithNextPoll, activePort, passivePort);
    }

    private static DeviceOptions manual(boolean sendWithNextPoll, int own, int peer) {
        return options(NettyOptions.builder().sendWithNextPoll(sendWithNextPoll), own, peer)
                .withProgress(DeviceOptions.Progress.MANUAL);
    }

    private static DeviceOptions options(NettyOptions.Builder options, int own, int peer) {
        return DeviceOptions.DEFAULT.withDriver(
                new NettyDriverProvider(options.rocePort(own).rocePeerPort(peer).build()));
    }
}
