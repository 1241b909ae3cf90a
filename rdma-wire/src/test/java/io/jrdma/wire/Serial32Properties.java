package io.jrdma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.Satisfies;
import io.jrdma.testing.WireArbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class Serial32Properties {
    @Satisfies("RFC5041-4.3-2")
    @Example
    void zeroFollowsTheLargest() {
        assertThat(Serial32.next(0xFFFF_FFFF)).isZero();
        assertThat(Serial32.compare(0, 0xFFFF_FFFF)).isPositive();
        assertThat(Serial32.diff(1, 0xFFFF_FFFF)).isEqualTo(2);
    }

    @Property
    void diffUndoesAdd(@ForAll("u32") int serial, @ForAll("u32") int count) {
        assertThat(Serial32.diff(Serial32.add(serial, count), serial)).isEqualTo(count);
    }

    @Property
    void orderDoesNotDependOnWhereItStarts(@ForAll("u32") int serial, @ForAll("u32") int ahead) {
        assertThat(Serial32.compare(Serial32.add(serial, ahead), serial)).isEqualTo(Integer.signum(ahead));
    }

    @Property
    void windowHoldsItsSizeOfNumbers(@ForAll("u32") int first, @ForAll("u32") int size, @ForAll("u32") int ahead) {
        boolean inside = Integer.toUnsignedLong(ahead) < Integer.toUnsignedLong(size);
        assertThat(Serial32.inWindow(Serial32.add(first, ahead), first, size)).isEqualTo(inside);
    }

    @Provide
    Arbitrary<Integer> u32() {
        return WireArbitraries.u32();
    }
}
