package io.jrdma.verbs.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.Access;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryTableTest {
    private static final int PD = 7;
    private static final int ALL = Access.mask(EnumSet.allOf(Access.class));
    private static final int WRITE = Access.REMOTE_WRITE.bit();
    private static final int READ = Access.REMOTE_READ.bit();

    private final MemoryTable table = new MemoryTable(1, 100_000);

    /** Memory that nobody touches: for checks alone. */
    private static MemorySegment at(long address, long length) {
        return MemorySegment.ofAddress(address).reinterpret(length);
    }

    @Test
    void boundsAreUnsigned() {
        long base = Long.MAX_VALUE - 0x0F; // the region crosses 2^63, where signed comparison turns over
        int key = table.register(PD, at(base, 0x20), ALL);
        assertThat(table.check(key, PD, WRITE, base, 0x20)).isEqualTo(AccessFault.NONE);
        assertThat(table.check(key, PD, WRITE, base + 0x1F, 1)).isEqualTo(AccessFault.NONE);
        assertThat(table.check(key, PD, WRITE, base - 1, 1)).isEqualTo(AccessFault.OUT_OF_BOUNDS);
        assertThat(table.check(key, PD, WRITE, base + 0x20, 1)).isEqualTo(AccessFault.OUT_OF_BOUNDS);
        assertThat(table.check(key, PD, WRITE, base, 0x21)).isEqualTo(AccessFault.OUT_OF_BOUNDS);
        assertThat(table.check(key, PD, WRITE, base + 0x1F, 2)).isEqualTo(AccessFault.OUT_OF_BOUNDS);
        assertThat(table.check(key, PD, WRITE, 0, 1)).isEqualTo(AccessFault.OUT_OF_BOUNDS);
    }

    @Test
    void atomicsWorkOnTheHostsNumbersAndTellWhatTheyFound() {
        long[] original = new long[1];
        MemorySegment memory = Arena.ofAuto().allocate(64, 8);
        memory.set(ValueLayout.JAVA_LONG, 8, 40);
        int key = table.register(PD, memory, ALL);
        long address = memory.address() + 8;
        assertThat(table.fetchAndAdd(key, PD, address, 2, original)).isEqualTo(AccessFault.NONE);
        assertThat(original).containsExactly(40);
        assertThat(table.compareAndSwap(key, PD, address, 42, 7, original)).isEqualTo(AccessFault.NONE);
        assertThat(original).containsExactly(42);
        assertThat(table.compareAndSwap(key, PD, address, 42, 8, original)).isEqualTo(AccessFault.NONE);
        assertThat(original).containsExactly(7);
        assertThat(memory.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(7);
    }

    @Test
    void atomicsAreCheckedAsEverythingIs() {
        long[] original = {-1};
        MemorySegment memory = Arena.ofAuto().allocate(64, 8);
        int key = table.register(PD, memory, ALL & ~Access.REMOTE_ATOMIC.bit());
        assertThat(table.fetchAndAdd(key, PD, memory.address(), 2, original)).isEqualTo(AccessFault.NO_RIGHTS);
        assertThat(table.compareAndSwap(key, PD, memory.address(), 0, 2, original))
                .isEqualTo(AccessFault.NO_RIGHTS);
        assertThat(table.fetchAndAdd(key + 1, PD, memory.address(), 2, original))
                .isEqualTo(AccessFault.INVALID_KEY);
        int all = table.register(PD, memory, ALL);
        assertThat(table.fetchAndAdd(all, PD, memory.address() + 64, 2, original))
                .isEqualTo(AccessFault.OUT_OF_BOUNDS);
        assertThat(table.compareAndSwap(all, PD + 1, memory.address(), 0, 2, original))
                .isEqualTo(AccessFault.WRONG_PROTECTION_DOMAIN);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment gone = arena.allocate(64, 8);
            key = table.register(PD, gone, ALL);
            memory = gone;
        }
        assertThat(table.fetchAndAdd(key, PD, memory.address(), 2, original)).isEqualTo(AccessFault.MEMORY_GONE);
        assertThat(table.compareAndSwap(key, PD, memory.address(), 0, 2, original))
                .isEqualTo(AccessFault.MEMORY_GONE);
        assertThat(original).containsExactly(-1);
    }

    @Test
    void regionMayEndAtTheLastAddress() {
        long base = -0x1000;
        int key = table.register(PD, at(base, 0x1000), ALL);
        assertThat(table.check(key, PD, WRITE, base, 0x1000)).isEqualTo(AccessFault.NONE);
        assertThat(table.check(key, PD, WRITE, -1, 1)).isEqualTo(AccessFault.NONE);
        assertThat(table.check(key, PD, WRITE, base, 0xFFF)).isEqualTo(AccessFault.NONE);
        assertThat(table.check(key, PD, WRITE, -1, 2)).isEqualTo(AccessFault.ADDRESS_WRAP);
        assertThat(table.check(key, PD, WRITE, base, 0x1001)).isEqualTo(AccessFault.ADDRESS_WRAP);
        assertThat(table.check(key, PD, WRITE, base - 1, 1)).isEqualTo(AccessFault.OUT_OF_BOUNDS);
        assertThat(table.check(key, PD, WRITE, base - 1, 0x1001)).isEqualTo(AccessFault.OUT_OF_BOUNDS);
    }

    @Test
    void rangesThatWrapAreRefused() {
        int key = table.register(PD, at(0x10000, 0x1000), ALL);
        assertThat(table.check(key, PD, WRITE, -8, 9)).isEqualTo(AccessFault.ADDRESS_WRAP);
        assertThat(table.check(key, PD, WRITE, -1, Long.MAX_VALUE)).isEqualTo(AccessFault.ADDRESS_WRAP);
        assertThat(table.check(key, PD, WRITE, -8, 0x10000 + 0x1000 + 8)).isEqualTo(AccessFault.ADDRESS_WRAP);
        assertThat(table.check(key, PD, WRITE, 0x10000, Long.MAX_VALUE)).isEqualTo(AccessFault.OUT_OF_BOUNDS);
        assertThat(table.check(key, PD, WRITE, -8, 8)).isEqualTo(AccessFault.OUT_OF_BOUNDS);
    }

    @Test
    void zeroLengthIsAllowedFromTheFirstByteToTheEnd() {
        int key = table.register(PD, at(0x10000, 0x1000), ALL);
        assertThat(table.check(key, PD, WRITE, 0x10000, 0)).isEqualTo(AccessFault.NONE);
        assertThat(table.check(key, PD, WRITE, 0x11000, 0)).isEqualTo(AccessFault.NONE);
        assertThat(table.check(key, PD, WRITE, 0x11001, 0)).isEqualTo(AccessFault.OUT_OF_BOUNDS);
        assertThat(table.check(key, PD, WRITE, 0xFFFF, 0)).isEqualTo(AccessFault.OUT_OF_BOUNDS);
        assertThat(table.check(key, PD, WRITE, 0, 0)).isEqualTo(AccessFault.OUT_OF_BOUNDS);
        assertThat(table.check(key + 1, PD, WRITE, 0x10000, 0)).isEqualTo(AccessFault.INVALID_KEY);
    }

    @Test
    void faultsComeInTheOrderOfDeclaration() {
        int key = table.register(PD, at(0x10000, 0x1000), Access.LOCAL_WRITE.bit());
        assertThat(table.check(0, PD + 1, READ, -1, 5)).isEqualTo(AccessFault.INVALID_KEY);
        assertThat(table.check(key, PD + 1, READ, -1, 5)).isEqualTo(AccessFault.WRONG_PROTECTION_DOMAIN);
        assertThat(table.check(key, PD, READ, -1, 5)).isEqualTo(AccessFault.NO_RIGHTS);
        assertThat(table.check(key, PD, 0, -1, 5)).isEqualTo(AccessFault.ADDRESS_WRAP);
        assertThat(table.check(key, PD, 0, 0, 5)).isEqualTo(AccessFault.OUT_OF_BOUNDS);
        assertThat(table.check(key, PD, 0, 0x10000, 5)).isEqualTo(AccessFault.NONE);
    }

    @Test
    void everyRightIsAskedForAlone() {
        for (Access granted : Access.values()) {
            int key = table.register(PD, at(0x10000, 0x1000), granted.bit());
            for (Access wanted : Access.values()) {
                assertThat(table.check(key, PD, wanted.bit(), 0x10000, 1))
                        .isEqualTo(granted == wanted ? AccessFault.NONE : AccessFault.NO_RIGHTS);
            }
            assertThat(table.check(key, PD, granted.bit() | WRITE | READ, 0x10000, 1))
                    .isEqualTo(AccessFault.NO_RIGHTS);
            assertThat(table.check(key, PD, 0, 0x10000, 1)).isEqualTo(AccessFault.NONE);
        }
    }

    @Test
    void invalidatedKeyStaysUnusableUntilItIsDeregistered() {
        int key = table.register(PD, at(0x10000, 0x1000), ALL);
        assertThat(table.invalidate(key, PD + 1)).isEqualTo(AccessFault.WRONG_PROTECTION_DOMAIN);
        assertThat(table.check(key, PD, 0, 0x10000, 1)).isEqualTo(AccessFault.NONE);
        assertThat(table.invalidate(key, PD)).isEqualTo(AccessFault.NONE);
        assertThat(table.invalidate(key, PD)).isEqualTo(AccessFault.NONE);
        assertThat(table.check(key, PD, 0, 0x10000, 1)).isEqualTo(AccessFault.INVALID_KEY);
        assertThat(table.size()).isEqualTo(1);
        table.deregister(key);
        assertThat(table.invalidate(key, PD)).isEqualTo(AccessFault.INVALID_KEY);
        assertThat(table.size()).isZero();
    }

    @Test
    void aPeerInvalidatesOnlyWhatItsOwnerAllowsTo() {
        int safe = table.register(PD, at(0x10000, 0x1000), ALL & ~Access.REMOTE_INVALIDATE.bit());
        assertThat(table.invalidateForPeer(safe, PD + 1)).isEqualTo(AccessFault.WRONG_PROTECTION_DOMAIN);
        assertThat(table.invalidateForPeer(safe, PD)).isEqualTo(AccessFault.NO_RIGHTS);
        assertThat(table.check(safe, PD, 0, 0x10000, 1)).isEqualTo(AccessFault.NONE);
        int open = table.register(PD, at(0x10000, 0x1000), Access.REMOTE_INVALIDATE.bit());
        assertThat(table.invalidateForPeer(open, PD + 1)).isEqualTo(AccessFault.WRONG_PROTECTION_DOMAIN);
        assertThat(table.check(open, PD, 0, 0x10000, 1)).isEqualTo(AccessFault.NONE);
        assertThat(table.invalidateForPeer(open, PD)).isEqualTo(AccessFault.NONE);
        assertThat(table.invalidateForPeer(open, PD)).isEqualTo(AccessFault.NONE);
        assertThat(table.check(open, PD, 0, 0x10000, 1)).isEqualTo(AccessFault.INVALID_KEY);
    }

    @Test
    void deregisteringTwiceOrAnUnknownKeyDoesNothing() {
        int key = table.register(PD, at(0x10000, 0x1000), ALL);
        int other = table.register(PD, at(0x10000, 0x1000), ALL);
        table.deregister(key);
        table.deregister(key);
        table.deregister(0);
        assertThat(table.size()).isEqualTo(1);
        assertThat(table.check(other, PD, 0, 0x10000, 1)).isEqualTo(AccessFault.NONE);
    }

    @Test
    void fullTableTakesNoMoreUntilOneIsGone() {
        MemoryTable small = new MemoryTable(1, 3);
        int first = small.register(PD, at(0x10000, 1), ALL);
        small.register(PD, at(0x10000, 1), ALL);
        small.register(PD, at(0x10000, 1), ALL);
        assertThat(small.register(PD, at(0x10000, 1), ALL)).isZero();
        assertThat(small.size()).isEqualTo(3);
        small.deregister(first);
        assertThat(small.register(PD, at(0x10000, 1), ALL)).isNotZero();
    }

    @Test
    void manyRegionsAreAllFoundWhileTheTableGrowsAndShrinks() {
        List<Integer> keys = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            keys.add(table.register(PD, at(0x10000L + i, 1), ALL));
        }
        for (int i = 0; i < keys.size(); i++) {
            assertThat(table.check(keys.get(i), PD, 0, 0x10000L + i, 1)).isEqualTo(AccessFault.NONE);
        }
        for (int i = 0; i < keys.size(); i += 2) {
            table.deregister(keys.get(i));
        }
        for (int i = 0; i < keys.size(); i++) {
            assertThat(table.check(keys.get(i), PD, 0, 0x10000L + i, 1))
                    .isEqualTo(i % 2 == 0 ? AccessFault.INVALID_KEY : AccessFault.NONE);
        }
        assertThat(table.size()).isEqualTo(10_000);
    }

    @Test
    void keysLookRandomAndNoneComesAgainWhenItIsFree() {
        Set<Integer> seen = new HashSet<>();
        int[] ones = new int[32];
        int n = 20_000;
        for (int i = 0; i < n; i++) {
            int key = table.register(PD, at(0x10000, 1), ALL);
            assertThat(key).isNotZero();
            assertThat(seen.add(key)).isTrue();
            for (int bit = 0; bit < 32; bit++) {
                ones[bit] += key >>> bit & 1;
            }
            table.deregister(key);
        }
        for (int count : ones) {
            // seven standard deviations; the seed is fixed, so this holds always or never
            assertThat(count).isBetween(n / 2 - 500, n / 2 + 500);
        }
    }

    @Test
    void seedDecidesTheKeys() {
        assertThat(keysOf(5)).isEqualTo(keysOf(5));
        assertThat(keysOf(5)).doesNotContainAnyElementsOf(keysOf(6));
    }

    private static List<Integer> keysOf(long seed) {
        MemoryTable one = new MemoryTable(seed, 10);
        List<Integer> keys = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            keys.add(one.register(PD, at(0x10000, 1), ALL));
        }
        return keys;
    }

    @Test
    void copiesGoWhereTheAddressSays() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(64);
            MemorySegment wire = arena.allocate(64);
            for (int i = 0; i < 64; i++) {
                wire.set(ValueLayout.JAVA_BYTE, i, (byte) i);
            }
            int key = table.register(PD, memory, ALL);
            assertThat(table.write(key, PD, WRITE, memory.address() + 10, wire, 3, 5))
                    .isEqualTo(AccessFault.NONE);
            assertThat(memory.asSlice(10, 5).toArray(ValueLayout.JAVA_BYTE)).containsExactly(3, 4, 5, 6, 7);
            assertThat(memory.get(ValueLayout.JAVA_BYTE, 9)).isZero();
            assertThat(memory.get(ValueLayout.JAVA_BYTE, 15)).isZero();
            MemorySegment out = arena.allocate(8);
            assertThat(table.read(key, PD, READ, memory.address() + 12, out, 1, 3))
                    .isEqualTo(AccessFault.NONE);
            assertThat(out.toArray(ValueLayout.JAVA_BYTE)).containsExactly(0, 5, 6, 7, 0, 0, 0, 0);
        }
    }

    @Test
    void refusedCopyTouchesNothing() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(64);
            MemorySegment wire = arena.allocate(64).fill((byte) 1);
            int key = table.register(PD, memory, Access.LOCAL_WRITE.bit());
            assertThat(table.write(key, PD, WRITE, memory.address(), wire, 0, 8))
                    .isEqualTo(AccessFault.NO_RIGHTS);
            assertThat(table.write(key, PD, 0, memory.address() + 60, wire, 0, 8))
                    .isEqualTo(AccessFault.OUT_OF_BOUNDS);
            assertThat(table.write(key ^ 1, PD, 0, memory.address(), wire, 0, 8))
                    .isEqualTo(AccessFault.INVALID_KEY);
            assertThat(table.read(key, PD, READ, memory.address(), wire, 0, 8)).isEqualTo(AccessFault.NO_RIGHTS);
            assertThat(table.read(key ^ 1, PD, READ, memory.address(), wire, 0, 8))
                    .isEqualTo(AccessFault.INVALID_KEY);
            assertThat(memory.toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
            assertThat(wire.toArray(ValueLayout.JAVA_BYTE)).containsOnly(1);
        }
    }

    @Test
    void closedArenaIsAFault() {
        MemorySegment memory;
        try (Arena arena = Arena.ofShared()) {
            memory = arena.allocate(64);
        }
        int key = table.register(PD, memory, ALL);
        try (Arena own = Arena.ofConfined()) {
            MemorySegment wire = own.allocate(64);
            assertThat(table.write(key, PD, WRITE, memory.address(), wire, 0, 64))
                    .isEqualTo(AccessFault.MEMORY_GONE);
            assertThat(table.read(key, PD, READ, memory.address(), wire, 0, 64)).isEqualTo(AccessFault.MEMORY_GONE);
        }
    }

    @Test
    void arenaConfinedToAnotherThreadIsAFault() throws InterruptedException {
        try (Arena own = Arena.ofConfined()) {
            MemorySegment memory = own.allocate(64);
            int key = table.register(PD, memory, ALL);
            AtomicReference<AccessFault> fault = new AtomicReference<>();
            Thread other = Thread.ofPlatform()
                    .start(() -> fault.set(
                            table.write(key, PD, WRITE, memory.address(), MemorySegment.ofArray(new byte[8]), 0, 8)));
            assertThat(other.join(Duration.ofSeconds(10))).isTrue();
            assertThat(fault).hasValue(AccessFault.MEMORY_GONE);
        }
    }

    /** In compiled code the fault of such a page comes late; the copy has to catch it all the same. */
    @Test
    void mappedFileThatWasCutShortIsAFaultInHotCodeToo(@TempDir Path directory) throws IOException {
        Path file = Files.write(directory.resolve("region"), new byte[1 << 16]);
        try (Arena arena = Arena.ofShared();
                FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, 1 << 16, arena);
            MemorySegment wire = arena.allocate(1 << 16);
            int key = table.register(PD, memory, ALL);
            for (int i = 0; i < 100_000; i++) {
                table.write(key, PD, WRITE, memory.address(), wire, 0, 1 + i % 300);
                table.read(key, PD, READ, memory.address(), wire, 0, 1 + i % 300);
            }
            channel.truncate(0);
            for (int length : new int[] {1, 3, 8, 31, 63, 64, 100, 4096, 20_000}) {
                assertThat(table.write(key, PD, WRITE, memory.address(), wire, 0, length))
                        .isEqualTo(AccessFault.MEMORY_GONE);
                assertThat(table.read(key, PD, READ, memory.address(), wire, 0, length))
                        .isEqualTo(AccessFault.MEMORY_GONE);
            }
        }
    }

    @Test
    void lookUpsFindEveryLiveKeyWhileOthersRegister() throws InterruptedException {
        int stable = 200;
        int[] keys = new int[stable];
        for (int i = 0; i < stable; i++) {
            keys[i] = table.register(PD, at(0x10000L + i, 1), ALL);
        }
        AtomicInteger misses = new AtomicInteger();
        Thread changer = Thread.ofPlatform().start(() -> {
            for (int round = 0; round < 20; round++) {
                int[] more = new int[500];
                for (int i = 0; i < more.length; i++) {
                    more[i] = table.register(PD, at(0x90000, 1), ALL);
                }
                for (int i = 0; i < more.length; i += 2) {
                    table.deregister(more[i]);
                }
            }
        });
        do {
            for (int i = 0; i < stable; i++) {
                if (table.check(keys[i], PD, 0, 0x10000L + i, 1) != AccessFault.NONE) {
                    misses.incrementAndGet();
                }
            }
        } while (changer.isAlive());
        assertThat(changer.join(Duration.ofSeconds(10))).isTrue();
        assertThat(misses).hasValue(0);
        assertThat(table.size()).isEqualTo(stable + 20 * 250);
    }
}
