package io.jrdma.testkit.check;

import io.jrdma.testkit.sim.Checker;
import io.jrdma.testkit.sim.Simulator;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Knows what every byte of every region may be. A byte is what it was, or what a write that is under way puts there; a write that is done
 * has happened, one that failed may have happened in part. Any other value is a write that nobody asked for.
 */
public final class MemoryOracle implements Checker {
    private static final int STEPS_BETWEEN_LOOKS = 1024;

    /** A write of known bytes to a known place. */
    public static final class Write {
        private final Region region;
        private final int offset;
        private final byte[] bytes;

        private Write(Region region, int offset, byte[] bytes) {
            this.region = region;
            this.offset = offset;
            this.bytes = bytes;
        }

        /** The write has happened: from now on its bytes must be there. */
        public void done() {
            System.arraycopy(bytes, 0, region.settled, offset, bytes.length);
            region.underWay.remove(this);
        }
    }

    private static final class Region {
        final String name;
        final MemorySegment memory;
        final byte[] settled;
        final byte[] now;
        final List<Write> underWay = new ArrayList<>();

        Region(String name, MemorySegment memory) {
            this.name = name;
            this.memory = memory;
            this.settled = memory.toArray(ValueLayout.JAVA_BYTE);
            this.now = settled.clone();
        }
    }

    private final Map<String, Region> regions = new LinkedHashMap<>();

    /** Knows of no region. */
    public MemoryOracle() {}

    /** Watches memory: what is in it now is expected to stay. */
    public void watch(String name, MemorySegment memory) {
        regions.put(name, new Region(name, memory));
    }

    /** From now on these bytes may appear there. A write that fails is simply never {@link Write#done}. */
    public Write expect(String name, int offset, byte[] bytes) {
        Region region = regions.get(name);
        if (region == null) {
            throw new IllegalArgumentException("no region " + name);
        }
        Write write = new Write(region, offset, bytes.clone());
        region.underWay.add(write);
        return write;
    }

    @Override
    public void afterStep(Simulator simulator) {
        if (simulator.steps() % STEPS_BETWEEN_LOOKS == 0) {
            check();
        }
    }

    /** Looks at every byte. */
    public void check() {
        for (Region region : regions.values()) {
            MemorySegment.copy(region.memory, ValueLayout.JAVA_BYTE, 0, region.now, 0, region.now.length);
            int at = Arrays.mismatch(region.settled, region.now);
            while (at >= 0) {
                if (!explained(region, at)) {
                    throw new AssertionError("byte %d of region %s is 0x%02x; expected 0x%02x%s"
                            .formatted(
                                    at,
                                    region.name,
                                    region.now[at],
                                    region.settled[at],
                                    region.underWay.isEmpty() ? "" : " or what a write that is under way puts there"));
                }
                int next = Arrays.mismatch(
                        region.settled, at + 1, region.settled.length, region.now, at + 1, region.now.length);
                at = next < 0 ? -1 : at + 1 + next;
            }
        }
    }

    private static boolean explained(Region region, int at) {
        for (Write write : region.underWay) {
            int index = at - write.offset;
            if (index >= 0 && index < write.bytes.length && write.bytes[index] == region.now[at]) {
                return true;
            }
        }
        return false;
    }
}
