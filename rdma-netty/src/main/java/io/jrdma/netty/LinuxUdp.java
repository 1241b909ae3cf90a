package io.jrdma.netty;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The two system calls of the batch driver, and the numbers that belong to them. Linux on 64-bit little-endian machines: x86_64 and
 * aarch64, glibc or musl.
 */
@SuppressWarnings("restricted") // the point of it: libc's own functions
class LinuxUdp {
    static final int IPPROTO_IP = 0;
    static final int SOL_SOCKET = 1;
    static final int IPPROTO_UDP = 17;
    static final int IPPROTO_IPV6 = 41;

    static final int SO_SNDBUFFORCE = 32;
    static final int SO_RCVBUFFORCE = 33;

    static final int IP_TOS = 1;
    static final int IP_TTL = 2;
    static final int IP_MTU_DISCOVER = 10;
    static final int IP_RECVTOS = 13;
    static final int IPV6_MTU_DISCOVER = 23;
    static final int IPV6_HOPLIMIT = 52;
    static final int IPV6_RECVTCLASS = 66;
    static final int IPV6_TCLASS = 67;
    /** Never fragment; and an unconnected socket gives every datagram identification 0. */
    static final int PMTUDISC_DO = 2;

    static final int UDP_NO_CHECK6_RX = 102;
    static final int UDP_SEGMENT = 103;
    static final int UDP_GRO = 104;

    static final int MSG_TRUNC = 0x20;
    static final int MSG_DONTWAIT = 0x40;

    static final int EINTR = 4;
    static final int EIO = 5;
    static final int EAGAIN = 11;
    static final int ENOMEM = 12;
    static final int EINVAL = 22;
    static final int EMSGSIZE = 90;
    static final int ENETUNREACH = 101;
    static final int ENOBUFS = 105;
    static final int ECONNREFUSED = 111;

    private static final Linker.Option KEEP_ERRNO = Linker.Option.captureCallState("errno");
    private static final long ERRNO_OFFSET =
            Linker.Option.captureStateLayout().byteOffset(PathElement.groupElement("errno"));
    private static final FunctionDescriptor SEND = FunctionDescriptor.of(
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT);
    private static final FunctionDescriptor RECEIVE = FunctionDescriptor.of(
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_LONG);
    // A call that keeps the error number makes a segment each time, if the compiler does not happen to see that nobody
    // needs it. So calls are made without it, and one that fails, and so has done nothing, is made again to learn why.
    private static final MethodHandle SENDMMSG = downcall("sendmmsg", SEND);
    private static final MethodHandle SENDMMSG_ERRNO = downcall("sendmmsg", SEND, KEEP_ERRNO);
    private static final MethodHandle RECVMMSG = downcall("recvmmsg", RECEIVE);
    private static final MethodHandle RECVMMSG_ERRNO = downcall("recvmmsg", RECEIVE, KEEP_ERRNO);

    /** Addresses are passed as numbers: the memory is the caller's and outlives the call. */
    private static MethodHandle downcall(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor, options);
    }

    private final MemorySegment errno;

    /** The calls of one socket, one at a time; the error number of a call is kept in the arena. */
    LinuxUdp(Arena arena) {
        errno = arena.allocate(Linker.Option.captureStateLayout());
    }

    /**
     * Sends messages without waiting.
     *
     * @param vector address of an array of {@code struct mmsghdr}
     * @return how many were sent, 1 or more; or the negated error number of the first
     */
    int send(int fd, long vector, int count) {
        try {
            int sent = (int) SENDMMSG.invokeExact(fd, vector, count, MSG_DONTWAIT);
            if (sent < 0) {
                sent = (int) SENDMMSG_ERRNO.invokeExact(errno, fd, vector, count, MSG_DONTWAIT);
            }
            return sent >= 0 ? sent : -errno.get(ValueLayout.JAVA_INT, ERRNO_OFFSET);
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /**
     * Receives messages if there are any, for a caller who just looks.
     *
     * @param vector address of an array of {@code struct mmsghdr}
     * @return how many came, 1 or more; less than 0 if none did, for whatever reason
     */
    int look(int fd, long vector, int count) {
        try {
            return (int) RECVMMSG.invokeExact(fd, vector, count, MSG_DONTWAIT, 0L);
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /**
     * Receives messages without waiting.
     *
     * @param vector address of an array of {@code struct mmsghdr}
     * @return how many came, 1 or more; or the negated error number
     */
    int receive(int fd, long vector, int count) {
        int received = look(fd, vector, count);
        if (received >= 0) {
            return received;
        }
        try {
            received = (int) RECVMMSG_ERRNO.invokeExact(errno, fd, vector, count, MSG_DONTWAIT, 0L);
            return received >= 0 ? received : -errno.get(ValueLayout.JAVA_INT, ERRNO_OFFSET);
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
