package io.jrdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.verbs.memory.AccessFault;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RegistrationTest {
    private static final Set<Access> READ = Set.of(Access.REMOTE_READ);
    private static final Set<Access> WRITE = Set.of(Access.REMOTE_WRITE, Access.LOCAL_WRITE);

    private final DeviceFixture fixture = DeviceFixture.byHand();
    private final ProtectionDomain domain = fixture.device.allocateProtectionDomain();

    private static void refused(ThrowingCallable call, Errno errno, String message) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(errno))
                .hasMessage(errno + ": " + message);
    }

    /** As a transport writes to it. */
    private AccessFault write(MemoryRegion region, long offset, int... bytes) {
        byte[] array = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            array[i] = (byte) bytes[i];
        }
        return fixture.device
                .memory()
                .write(
                        region.remoteKey(),
                        domain.number(),
                        Access.REMOTE_WRITE.bit(),
                        region.address() + offset,
                        MemorySegment.ofArray(array),
                        0,
                        bytes.length);
    }

    @Test
    void nativeMemoryBecomesARegion() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(100);
            MemoryRegion region = domain.register(memory, WRITE);
            assertThat(region.address()).isEqualTo(memory.address());
            assertThat(region.length()).isEqualTo(100);
            assertThat(region.segment()).isSameAs(memory);
            assertThat(region.rights()).containsExactly(Access.LOCAL_WRITE, Access.REMOTE_WRITE);
            assertThat(region.localKey()).isEqualTo(region.remoteKey()).isNotZero();
            assertThat(region.protectionDomain()).isSameAs(domain);
            assertThat(region)
                    .hasToString("MemoryRegion[address=0x" + Long.toHexString(region.address()) + ", length=100, key=0x"
                            + Integer.toHexString(region.localKey()) + ", [LOCAL_WRITE, REMOTE_WRITE]]");
            assertThat(write(region, 98, 1, 2)).isEqualTo(AccessFault.NONE);
            assertThat(write(region, 99, 1, 2)).isEqualTo(AccessFault.OUT_OF_BOUNDS);
            assertThat(memory.get(ValueLayout.JAVA_BYTE, 99)).isEqualTo((byte) 2);
        }
    }

    @Test
    void arenaGivesZeroedMemoryOnAPage() {
        try (Arena arena = Arena.ofShared()) {
            MemoryRegion region = domain.register(arena, 5000, READ);
            assertThat(region.address() % 4096).isZero();
            assertThat(region.segment().toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
        }
    }

    @Test
    void memoryThatTheHostHasNotIsRefused() {
        Arena empty = new Arena() {
            @Override
            public MemorySegment allocate(long bytes, long alignment) {
                throw new OutOfMemoryError("planted");
            }

            @Override
            public MemorySegment.Scope scope() {
                throw new AssertionError("not asked for");
            }

            @Override
            public void close() {
                throw new AssertionError("not ours to close");
            }
        };
        refused(() -> domain.register(empty, 5000, READ), Errno.ENOMEM, "no room for a region of 5000 bytes");
    }

    @Test
    void memoryThatCannotBeRegistered() {
        refused(
                () -> domain.register(MemorySegment.ofArray(new byte[10]), READ),
                Errno.EINVAL,
                "memory on the Java heap cannot be registered; use native memory");
        refused(
                () -> domain.register(ByteBuffer.allocate(10), READ),
                Errno.EINVAL,
                "a buffer on the Java heap cannot be registered; use a direct one");
        refused(
                () -> domain.register(MemorySegment.NULL, READ),
                Errno.EINVAL,
                "region of 0 bytes; allowed are 1..1073741824");
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(10);
            refused(
                    () -> domain.register(memory, Set.of(Access.REMOTE_WRITE)),
                    Errno.EINVAL,
                    "[REMOTE_WRITE] needs LOCAL_WRITE as well");
            refused(
                    () -> domain.register(memory, Set.of(Access.REMOTE_ATOMIC)),
                    Errno.EINVAL,
                    "[REMOTE_ATOMIC] needs LOCAL_WRITE as well");
            refused(
                    () -> domain.register(memory.asReadOnly(), Set.of(Access.LOCAL_WRITE)),
                    Errno.EINVAL,
                    "read-only memory cannot be registered with [LOCAL_WRITE]");
            domain.register(memory.asReadOnly(), READ).close();
            try (MemoryRegion region = domain.register(memory.asReadOnly(), Set.of(Access.REMOTE_INVALIDATE))) {
                assertThat(region.rights()).containsExactly(Access.REMOTE_INVALIDATE);
                assertThat(region).asString().endsWith("[REMOTE_INVALIDATE]]");
            }
        }
        MemorySegment gone;
        try (Arena arena = Arena.ofShared()) {
            gone = arena.allocate(10);
        }
        refused(() -> domain.register(gone, READ), Errno.EINVAL, "the memory's arena is closed");
    }

    /** Nothing that large is ever allocated. */
    @Test
    void sizeIsCheckedBeforeAnythingIsAllocated() {
        try (Arena arena = Arena.ofShared()) {
            for (long bytes : new long[] {Long.MAX_VALUE, (1L << 30) + 1, 0, -1, Long.MIN_VALUE}) {
                refused(
                        () -> domain.register(arena, bytes, READ),
                        Errno.EINVAL,
                        "region of " + bytes + " bytes; allowed are 1..1073741824");
            }
        }
    }

    @Test
    void rawAddressIsTakenByTheCallersWord() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(16);
            MemoryRegion region = domain.register(memory.address(), 16, WRITE);
            assertThat(region.address()).isEqualTo(memory.address());
            assertThat(write(region, 3, 7)).isEqualTo(AccessFault.NONE);
            assertThat(memory.get(ValueLayout.JAVA_BYTE, 3)).isEqualTo((byte) 7);
            region.close();
            assertThat(write(region, 3, 8)).isEqualTo(AccessFault.INVALID_KEY);
        }
        assertThat(domain.register(-4096, 4096, READ).length()).isEqualTo(4096);
        refused(() -> domain.register(0, 5, READ), Errno.EINVAL, "address 0x0 with length 5 is no memory");
        refused(() -> domain.register(0x1000, 0, READ), Errno.EINVAL, "address 0x1000 with length 0 is no memory");
        refused(() -> domain.register(0x1000, -1, READ), Errno.EINVAL, "address 0x1000 with length -1 is no memory");
        refused(
                () -> domain.register(-4096, 4097, READ),
                Errno.EINVAL,
                "address 0xfffffffffffff000 with length 4097 is no memory");
        refused(
                () -> domain.register(0x1000, 1L << 40, READ),
                Errno.EINVAL,
                "region of 1099511627776 bytes; allowed are 1..1073741824");
    }

    @Test
    void directBufferIsTakenWhole() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(20);
        buffer.position(5).limit(10);
        MemoryRegion region = domain.register(buffer, WRITE);
        assertThat(region.length()).isEqualTo(20);
        assertThat(write(region, 19, 9)).isEqualTo(AccessFault.NONE);
        assertThat(buffer.position()).isEqualTo(5);
        assertThat(buffer.limit()).isEqualTo(10);
        assertThat(buffer.clear().get(19)).isEqualTo((byte) 9);
        refused(
                () -> domain.register(buffer.asReadOnlyBuffer(), WRITE),
                Errno.EINVAL,
                "read-only memory cannot be registered with " + WRITE);
    }

    @Test
    void fileIsMappedWhole(@TempDir Path directory) throws IOException {
        Path file = Files.write(directory.resolve("file"), new byte[] {1, 2, 3});
        try (Arena arena = Arena.ofShared()) {
            MemoryRegion region = domain.register(file, arena, WRITE);
            assertThat(region.length()).isEqualTo(3);
            assertThat(write(region, 1, 9)).isEqualTo(AccessFault.NONE);
            region.segment().force();
            assertThat(Files.readAllBytes(file)).containsExactly(1, 9, 3);
            assertThat(domain.register(file, arena, READ).segment().isReadOnly())
                    .isTrue();
            assertThatThrownBy(() -> domain.register(directory.resolve("none"), arena, READ))
                    .isInstanceOf(NoSuchFileException.class);
            Path empty = Files.createFile(directory.resolve("empty"));
            refused(
                    () -> domain.register(empty, arena, READ),
                    Errno.EINVAL,
                    "region of 0 bytes; allowed are 1..1073741824");
        }
    }

    @Test
    void closedArenaOfARegionIsAFault() {
        MemoryRegion region;
        try (Arena arena = Arena.ofShared()) {
            region = domain.register(arena.allocate(10), WRITE);
        }
        assertThat(write(region, 0, 1)).isEqualTo(AccessFault.MEMORY_GONE);
        region.close();
        assertThat(write(region, 0, 1)).isEqualTo(AccessFault.INVALID_KEY);
    }

    @Test
    void confinedMemoryIsForManualModeOnly() {
        DeviceFixture threaded = DeviceFixture.threaded();
        ProtectionDomain other = threaded.device.allocateProtectionDomain();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(10);
            domain.register(memory, WRITE).close();
            refused(
                    () -> other.register(memory, WRITE),
                    Errno.EINVAL,
                    "memory of a confined arena is out of reach of the device's loop; use a shared arena");
        }
        threaded.device.close();
    }

    @Test
    void regionsRunOut() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(10);
            MemoryRegion first = domain.register(memory, READ);
            for (int i = 1; i < 6; i++) {
                domain.register(memory, READ);
            }
            refused(() -> domain.register(memory, READ), Errno.ENOMEM, "the device has 6 memory regions already");
            first.close();
            domain.register(memory, READ);
        }
    }

    @Test
    void accessMasksAreThoseOfVerbs() {
        assertThat(Access.mask(EnumSet.range(Access.LOCAL_WRITE, Access.MW_BIND)))
                .isEqualTo(0x1F);
        // verbs.h has no such flag, and none of its own has this bit
        assertThat(Access.REMOTE_INVALIDATE.bit()).isEqualTo(0x4000_0000);
        for (int mask = 0; mask < 0x20; mask++) {
            assertThat(Access.mask(Access.ofMask(mask))).isEqualTo(mask);
            int more = mask | Access.REMOTE_INVALIDATE.bit();
            assertThat(Access.mask(Access.ofMask(more))).isEqualTo(more);
        }
        assertThatThrownBy(() -> Access.ofMask(0x21))
                .hasMessage("access mask 0x21 has unknown bits 0x20; known bits are 0x4000001f");
    }
}
