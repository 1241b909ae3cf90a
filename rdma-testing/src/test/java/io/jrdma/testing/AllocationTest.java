package io.jrdma.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class AllocationTest {
    private Object last;
    private int rounds;

    @Test
    void oneObjectARoundIsFound() {
        assertThatThrownBy(() -> Allocation.assertAtMost(999, 1000, () -> last = new Object()))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("bytes that 1000 rounds allocate");
        assertThat(last).isNotNull();
    }

    @Test
    void whatAllocatesOnlyWhileItIsColdPasses() {
        Allocation.assertAtMost(0, 10, () -> {
            if (rounds++ < 50) {
                last = new Object();
            }
        });
        assertThat(rounds).isGreaterThan(50);
    }
}
