package io.jrdma.netty;

import io.jrdma.verbs.DeviceOptions.Progress;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.util.concurrent.locks.LockSupport;

/**
 * Streams packets between two devices on the loopback interface and says how fast; by hand only. Arguments: driver (BATCH, PORTABLE),
 * backend, packet bytes, packets in a train, window in packets, seconds, payload check (true, false).
 */
final class UdpThroughput {
    private UdpThroughput() {}

    public static void main(String[] arguments) {
        UdpIo io = UdpIo.valueOf(argument(arguments, 0, "BATCH"));
        IoBackend backend = IoBackend.valueOf(argument(arguments, 1, "EPOLL"));
        int bytes = Integer.parseInt(argument(arguments, 2, "4112"));
        int perTrain = Integer.parseInt(argument(arguments, 3, "15"));
        int window = Integer.parseInt(argument(arguments, 4, "240"));
        int seconds = Integer.parseInt(argument(arguments, 5, "5"));
        boolean pings = Boolean.parseBoolean(argument(arguments, 6, "false"));
        var left = UdpRig.address("127.0.0.2");
        var right = UdpRig.address("127.0.0.3");
        int port = UdpRig.freePort(left, right);
        NettyOptions options = NettyOptions.builder()
                .udpIo(io)
                .backend(backend)
                .rocePort(port)
                .rocePeerPort(port)
                .build();
        if (pings) {
            ping(options, bytes, seconds);
            return;
        }
        try (UdpRig.Side sender = new UdpRig.Side(options, Progress.AUTOMATIC, left);
                UdpRig.Side receiver = new UdpRig.Side(options, Progress.AUTOMATIC, right)) {
            receiver.engine.checks = false;
            receiver.engine.remembers = false;
            receiver.engine.target = Arena.global().allocate(4 << 20);
            sender.engine.window(window);
            sender.send(right, Long.MAX_VALUE, bytes, bytes, perTrain);
            for (int i = 0; i < seconds; i++) {
                long before = receiver.engine.receivedBytes;
                long trains = receiver.count(UdpCounters.Counter.RECEIVED_TRAINS);
                long packets = receiver.engine.received;
                long acks = sender.engine.ackedPackets;
                long senderCpu = cpuNs(sender);
                long receiverCpu = cpuNs(receiver);
                long beginNs = System.nanoTime();
                LockSupport.parkNanos(1_000_000_000);
                long arrived = receiver.engine.receivedBytes - before;
                System.out.printf(
                        "%.2f, %.2f GB a second of processor time of sender, receiver; ",
                        arrived / (double) (cpuNs(sender) - senderCpu),
                        arrived / (double) (cpuNs(receiver) - receiverCpu));
                double ns = System.nanoTime() - beginNs;
                System.out.printf(
                        "%.2f GB/s, %.2f M packets/s, %.1f packets a train, %.1f packets an ack%n",
                        (receiver.engine.receivedBytes - before) / ns,
                        1e3 * (receiver.engine.received - packets) / ns,
                        (receiver.engine.received - packets)
                                / (double) Math.max(1, receiver.count(UdpCounters.Counter.RECEIVED_TRAINS) - trains),
                        (receiver.engine.received - packets) / (double) Math.max(1, sender.engine.ackedPackets - acks));
            }
            System.out.println("sender " + sender.port().counters());
            System.out.println("receiver " + receiver.port().counters());
        }
    }

    /** One packet and its answer, each side a thread that polls. */
    private static void ping(NettyOptions options, int bytes, int seconds) {
        var left = UdpRig.address("127.0.0.2");
        var right = UdpRig.address("127.0.0.3");
        boolean[] done = new boolean[1];
        try (UdpRig.Side one = new UdpRig.Side(options, Progress.MANUAL, left);
                UdpRig.Side other = new UdpRig.Side(options, Progress.MANUAL, right)) {
            Thread echo = new Thread(() -> {
                while (!done[0]) {
                    other.driver.progress(0);
                    Thread.onSpinWait();
                }
            });
            echo.setDaemon(true);
            echo.start();
            Runnable send = () -> one.engine.send(right, 1, bytes, bytes, 1);
            for (int i = 0; i < seconds; i++) {
                long beginNs = System.nanoTime();
                int rounds = 0;
                while (System.nanoTime() - beginNs < 1_000_000_000) {
                    long before = one.engine.acknowledged;
                    one.driver.execute(send);
                    while (one.engine.acknowledged == before) {
                        one.driver.progress(0);
                    }
                    rounds++;
                }
                System.out.printf("%.2f us half a round trip%n", (System.nanoTime() - beginNs) / 2e3 / rounds);
            }
        }
    }

    private static long cpuNs(UdpRig.Side side) {
        long[] id = new long[1];
        side.driver.call(() -> id[0] = Thread.currentThread().threadId());
        return ManagementFactory.getThreadMXBean().getThreadCpuTime(id[0]);
    }

    private static String argument(String[] arguments, int index, String otherwise) {
        return arguments.length > index ? arguments[index] : otherwise;
    }
}
