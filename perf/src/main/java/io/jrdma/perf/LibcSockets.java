package io.jrdma.perf;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteOrder;
import java.util.Locale;

/** The few calls of the C library that a yardstick for UDP with segmentation offload needs; Linux. Numbers are of Linux's headers. */
final class LibcSockets {
    private static final int AF_INET = 2;
    private static final int SOCK_DGRAM = 2;
    private static final int SOL_SOCKET = 1;
    private static final int SO_RCVBUF = 8;
    private static final int SOL_UDP = 17;
    private static final int UDP_SEGMENT = 103;
    private static final int UDP_GRO = 104;
    private static final int SOCKADDR_BYTES = 16;
    private static final ValueLayout.OfShort PORT = ValueLayout.JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);
    private static final byte[] LOOPBACK = {127, 0, 0, 1};

    private static final MethodHandle SOCKET =
            find("socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle BIND = find("bind", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle CONNECT =
            find("connect", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle NAME =
            find("getsockname", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
    private static final MethodHandle OPTION =
            find("setsockopt", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle SEND =
            find("send", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    private static final MethodHandle RECEIVE =
            find("recv", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    private static final MethodHandle CLOSE = find("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

    private LibcSockets() {}

    static boolean isAvailable() {
        return System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("linux");
    }

    @SuppressWarnings("restricted") // the whole class is a call of the C library
    private static MethodHandle find(String name, FunctionDescriptor shape) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), shape);
    }

    /** A UDP socket at the loopback address whose reads give whole trains. */
    static int receiver(int bufferBytes) {
        int fd = check("socket", call(SOCKET, AF_INET, SOCK_DGRAM, 0));
        try (Arena arena = Arena.ofConfined()) {
            check("bind", call(BIND, fd, address(arena, 0), SOCKADDR_BYTES));
        }
        option(fd, SOL_SOCKET, SO_RCVBUF, bufferBytes);
        option(fd, SOL_UDP, UDP_GRO, 1);
        return fd;
    }

    /** A UDP socket to that port whose writes are cut into datagrams of so many bytes. */
    static int sender(int port, int segmentBytes) {
        int fd = check("socket", call(SOCKET, AF_INET, SOCK_DGRAM, 0));
        try (Arena arena = Arena.ofConfined()) {
            check("connect", call(CONNECT, fd, address(arena, port), SOCKADDR_BYTES));
        }
        option(fd, SOL_UDP, UDP_SEGMENT, segmentBytes);
        return fd;
    }

    static int port(int fd) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocate(SOCKADDR_BYTES, 8);
            MemorySegment length = arena.allocateFrom(JAVA_INT, SOCKADDR_BYTES);
            check("getsockname", call(NAME, fd, name, length));
            return Short.toUnsignedInt(name.get(PORT, 2));
        }
    }

    /** Bytes sent, or less than 0. */
    static long send(int fd, MemorySegment bytes, long length) {
        try {
            return (long) SEND.invokeExact(fd, bytes, length, 0);
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Bytes received, 0 at the end, or less than 0. */
    static long receive(int fd, MemorySegment bytes, long length) {
        try {
            return (long) RECEIVE.invokeExact(fd, bytes, length, 0);
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    static void close(int fd) {
        check("close", call(CLOSE, fd));
    }

    private static void option(int fd, int level, int name, int value) {
        try (Arena arena = Arena.ofConfined()) {
            check(
                    "setsockopt " + name,
                    call(OPTION, fd, level, name, arena.allocateFrom(JAVA_INT, value), Integer.BYTES));
        }
    }

    private static MemorySegment address(Arena arena, int port) {
        MemorySegment address = arena.allocate(SOCKADDR_BYTES, 8);
        address.set(ValueLayout.JAVA_SHORT, 0, (short) AF_INET);
        address.set(PORT, 2, (short) port);
        MemorySegment.copy(LOOPBACK, 0, address, ValueLayout.JAVA_BYTE, 4, LOOPBACK.length);
        return address;
    }

    private static int call(MethodHandle function, Object... arguments) {
        try {
            return (int) function.invokeWithArguments(arguments);
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static int check(String what, int result) {
        if (result < 0) {
            throw new IllegalStateException(what + " failed");
        }
        return result;
    }
}
