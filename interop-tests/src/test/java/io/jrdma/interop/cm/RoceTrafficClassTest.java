package io.jrdma.interop.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.cm.ConnectionParameters;
import io.jrdma.cm.RdmaCmEvent;
import io.jrdma.cm.RdmaCmId;
import io.jrdma.cm.RdmaEventChannel;
import io.jrdma.netty.NettyDriverProvider;
import io.jrdma.netty.NettyOptions;
import io.jrdma.netty.UdpIo;
import io.jrdma.tools.UdpPorts;
import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.IbCmOptions;
import io.jrdma.verbs.QueuePair;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.wire.Bytes;
import io.jrdma.wire.ib.Bth;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the IP headers of a connection's packets say, seen with a raw socket. */
@Timeout(60)
class RoceTrafficClassTest {
    /** A socket that sees all UDP datagrams of this host; the system gives it to few. */
    private static final class Sniffer implements AutoCloseable {
        private static final int AF_INET = 2;
        private static final int SOCK_RAW = 3;
        private static final int UDP = 17;
        private static final int MSG_DONTWAIT = 0x40;
        private static final int IP_AND_UDP_BYTES = 28;

        private final Arena arena = Arena.ofConfined();
        private final MemorySegment buffer = arena.allocate(1 << 16);
        private final int fd;

        Sniffer() throws Throwable {
            fd = (int) call("socket", ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT)
                    .invokeExact(AF_INET, SOCK_RAW, UDP);
            Assumptions.assumeTrue(fd >= 0, "a raw socket is not allowed here (CAP_NET_RAW)");
        }

        private static MethodHandle call(String name, ValueLayout... arguments) {
            Linker linker = Linker.nativeLinker();
            return linker.downcallHandle(
                    linker.defaultLookup().findOrThrow(name), FunctionDescriptor.of(ValueLayout.JAVA_INT, arguments));
        }

        /** Traffic class and hop limit of all that came to one of these UDP ports since the last call, by destination QP. */
        Map<Integer, Set<String>> seen(UdpPorts ports) throws Throwable {
            MethodHandle receive = call(
                    "recv", ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT);
            Map<Integer, Set<String>> seen = new HashMap<>();
            while (true) {
                int length = (int) receive.invokeExact(fd, buffer, buffer.byteSize(), MSG_DONTWAIT);
                if (length < 0) {
                    return seen;
                }
                int port = Bytes.u16(buffer, 22);
                if (port == ports.active() || port == ports.passive()) {
                    String header = Integer.toHexString(Bytes.u8(buffer, 1)) + " " + Bytes.u8(buffer, 8);
                    seen.computeIfAbsent(Bth.destQp(buffer, IP_AND_UDP_BYTES), qp -> new HashSet<>())
                            .add(header);
                }
            }
        }

        @Override
        public void close() throws IOException {
            try {
                int _ = (int) call("close", ValueLayout.JAVA_INT).invokeExact(fd);
            } catch (Throwable impossible) {
                throw new IOException(impossible);
            }
            arena.close();
        }
    }

    private static RdmaEventChannel channel(int own, int peer) {
        NettyOptions netty = NettyOptions.builder()
                .udpIo(UdpIo.BATCH)
                .rocePort(own)
                .rocePeerPort(peer)
                .build();
        return RdmaEventChannel.create(DeviceOptions.DEFAULT.withDriver(new NettyDriverProvider(netty)));
    }

    private static ConnectionParameters parameters(int trafficClass, int hopLimit) {
        return ConnectionParameters.builder()
                .ib(IbCmOptions.builder()
                        .trafficClass(trafficClass)
                        .hopLimit(hopLimit)
                        .build())
                .build();
    }

    /** The active side says with what class both send; each has its own hop limit. */
    @Test
    void connectionsOfTwoClassesToOnePeerKeepThem() throws Throwable {
        Assumptions.assumeTrue("Linux".equals(System.getProperty("os.name")), "the batch driver is for Linux");
        UdpPorts ports = UdpPorts.choose();
        try (Sniffer sniffer = new Sniffer();
                RdmaEventChannel client = channel(ports.active(), ports.passive());
                RdmaEventChannel server = channel(ports.passive(), ports.active())) {
            RdmaCmId listening = server.createId(Transport.ROCE_V2);
            listening.bind(CmEnds.address("127.0.0.1", 0));
            listening.listen(4);
            RdmaCmId[] active = new RdmaCmId[2];
            RdmaCmId[] passive = new RdmaCmId[2];
            for (int i = 0; i < 2; i++) {
                active[i] = routed(client, listening.localAddress());
                CmEnds.queuePair(active[i]);
                active[i].connect(parameters(0x68 + i * 0x50, 40 + i));
                passive[i] =
                        CmEnds.expect(server, RdmaCmEvent.ConnectRequest.class).id();
                CmEnds.queuePair(passive[i]);
                passive[i].accept(parameters(0, 50 + i));
                CmEnds.expect(server, RdmaCmEvent.Established.class);
                CmEnds.expect(client, RdmaCmEvent.Established.class);
            }
            var _ = sniffer.seen(ports);
            for (int i = 0; i < 2; i++) {
                send(active[i], passive[i]);
                send(passive[i], active[i]);
            }
            Map<Integer, Set<String>> seen = sniffer.seen(ports);
            for (int i = 0; i < 2; i++) {
                String trafficClass = Integer.toHexString(0x68 + i * 0x50);
                assertThat(seen.get(own(passive[i]).qpNum())).containsExactly(trafficClass + " " + (40 + i));
                assertThat(seen.get(own(active[i]).qpNum())).containsExactly(trafficClass + " " + (50 + i));
            }
            for (int i = 0; i < 2; i++) {
                CmEnds.release(active[i]);
                CmEnds.release(passive[i]);
            }
            listening.close();
        }
    }

    private static RdmaCmId routed(RdmaEventChannel client, InetSocketAddress peer) throws InterruptedException {
        RdmaCmId id = client.createId(Transport.ROCE_V2);
        id.resolveAddress(null, peer, CmEnds.SOON);
        CmEnds.expect(client, RdmaCmEvent.AddressResolved.class);
        id.resolveRoute(CmEnds.SOON);
        CmEnds.expect(client, RdmaCmEvent.RouteResolved.class);
        return id;
    }

    private static QueuePair own(RdmaCmId id) {
        QueuePair queuePair = id.queuePair();
        assertThat(queuePair).isNotNull();
        return queuePair;
    }

    /** One message without data, and its ACK. */
    private static void send(RdmaCmId from, RdmaCmId to) {
        own(to).postReceive(new RecvWr().id(1));
        own(from).postSend(new SendWr().id(2));
        for (RdmaCmId end : new RdmaCmId[] {from, to}) {
            WorkCompletion[] one = CmEnds.holders(1);
            while (own(end).sendQueue().poll(one) == 0) {
                Thread.onSpinWait();
            }
            assertThat(one[0].status()).isEqualTo(WcStatus.SUCCESS);
        }
    }
}
