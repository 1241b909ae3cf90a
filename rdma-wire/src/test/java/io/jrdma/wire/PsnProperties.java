package io.jrdma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.Satisfies;
import io.jrdma.testing.WireArbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

@Satisfies("IBTA-9.2-7")
class PsnProperties {
    @Example
    void zeroFollowsTheLargest() {
        assertThat(Psn.next(0xFF_FFFF)).isZero();
        assertThat(Psn.previous(0)).isEqualTo(0xFF_FFFF);
        assertThat(Psn.diff(1, 0xFF_FFFF)).isEqualTo(2);
    }

    @Example
    void halfOfAllNumbersAreAhead() {
        assertThat(Psn.diff(0x7F_FFFF, 0)).isEqualTo(0x7F_FFFF);
        assertThat(Psn.diff(0x80_0000, 0)).isEqualTo(-0x80_0000);
    }

    @Property
    void diffUndoesAdd(@ForAll("psn") int psn, @ForAll @IntRange(min = -0x80_0000, max = 0x7F_FFFF) int count) {
        int sum = Psn.add(psn, count);
        assertThat(sum).isBetween(0, Psn.MAX);
        assertThat(Psn.diff(sum, psn)).isEqualTo(count);
    }

    @Property
    void distanceUndoesAdd(@ForAll("psn") int psn, @ForAll("psn") int steps) {
        assertThat(Psn.distance(psn, Psn.add(psn, steps))).isEqualTo(steps);
        assertThat(Psn.previous(Psn.next(psn))).isEqualTo(psn);
    }

    @Provide
    Arbitrary<Integer> psn() {
        return WireArbitraries.u24();
    }
}
