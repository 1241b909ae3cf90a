package io.jrdma.netty;

import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.socket.SocketProtocolFamily;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tries once whether {@link BatchSocket} can work: native access, the machine's layout of structures, the kernel. */
final class BatchProbe {
    private static final Logger LOG = LoggerFactory.getLogger(BatchProbe.class);
    private static final int PACKET = 64;
    private static final int TRAIN = 2 * PACKET + 4;
    private static final byte[] LOOPBACK = {127, 0, 0, 1};
    private static final @Nullable String FAILURE = probe();

    private BatchProbe() {}

    /** Why it cannot work here, or null if it can. */
    static @Nullable String failure() {
        return FAILURE;
    }

    private static @Nullable String probe() {
        if (ValueLayout.ADDRESS.byteSize() != Long.BYTES || ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
            return "not made for " + ByteOrder.nativeOrder() + " and addresses of " + ValueLayout.ADDRESS.byteSize()
                    + " bytes";
        }
        String failure;
        try (Arena arena = Arena.ofConfined()) {
            failure = sendToSelf(arena);
        } catch (IOException | RuntimeException | LinkageError reason) {
            failure = reason.toString();
        }
        if (failure != null) {
            LOG.info("packets are not sent and received in batches: {}", failure);
        }
        return failure;
    }

    /** Sends a train over the loopback interface and looks whether it comes back as one. */
    private static @Nullable String sendToSelf(Arena arena) throws IOException {
        LinuxSocket socket = LinuxSocket.newSocketDgram(SocketProtocolFamily.INET);
        try {
            socket.setIntOpt(LinuxUdp.IPPROTO_UDP, LinuxUdp.UDP_GRO, 1);
            socket.setIntOpt(LinuxUdp.IPPROTO_UDP, LinuxUdp.UDP_SEGMENT, 0);
            socket.bind(new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), 0));
            InetSocketAddress self = socket.localAddress();
            LinuxUdp linux = new LinuxUdp(arena);
            MemorySegment data = arena.allocate(2 * TRAIN);
            data.asSlice(0, TRAIN).fill((byte) 0x5A);
            MessageVector vector = new MessageVector(arena, 1);
            vector.data(0, data.address(), TRAIN);
            vector.nameLength(0, SourceTable.putSockaddr(self, vector.names(), vector.name(0)));
            vector.clearControl(0);
            vector.addControl(0, LinuxUdp.IPPROTO_UDP, LinuxUdp.UDP_SEGMENT, PACKET, Short.BYTES);
            int sent = linux.send(socket.intValue(), vector.address(0), 1);
            if (sent == -LinuxUdp.ENETUNREACH) {
                // the loopback interface is down; the call and the options are there
                return null;
            }
            if (sent != 1) {
                return "sending a train: errno " + -sent;
            }
            vector.data(0, data.address() + TRAIN, TRAIN);
            vector.reset(0);
            int received = linux.receive(socket.intValue(), vector.address(0), 1);
            if (received != 1) {
                return "receiving a train: errno " + -received;
            }
            int size = vector.control(0, LinuxUdp.IPPROTO_UDP, LinuxUdp.UDP_GRO, Integer.BYTES);
            boolean whole = vector.bytes(0) == TRAIN
                    && size == PACKET
                    && SourceTable.port(vector.names(), vector.name(0)) == self.getPort()
                    && data.mismatch(data.asSlice(TRAIN)) == TRAIN
                    && data.get(ValueLayout.JAVA_BYTE, TRAIN) == 0x5A;
            return whole ? null : "a train came back as " + vector.bytes(0) + " bytes of " + size;
        } finally {
            socket.close();
        }
    }
}
