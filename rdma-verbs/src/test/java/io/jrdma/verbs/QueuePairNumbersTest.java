package io.jrdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class QueuePairNumbersTest {
    private static final int ALL = (1 << 24) - 3;

    @Test
    void eachComesOnceButThoseOfManagementAndMulticast() {
        QueuePairNumbers numbers = new QueuePairNumbers(7);
        BitSet seen = new BitSet(1 << 24);
        for (int i = 0; i < ALL; i++) {
            seen.set(numbers.next());
        }
        assertThat(seen.cardinality()).isEqualTo(ALL);
        assertThat(seen.get(0) || seen.get(1) || seen.get(0xFF_FFFF)).isFalse();
    }

    @Test
    void distanceOfTwoSaysNothingOfTheNext() {
        QueuePairNumbers numbers = new QueuePairNumbers(7);
        Map<Integer, Integer> distances = new HashMap<>();
        int before = numbers.next();
        for (int i = 0; i < 1000; i++) {
            int number = numbers.next();
            distances.merge(number - before, 1, Integer::sum);
            before = number;
        }
        assertThat(distances.values()).allMatch(times -> times <= 2);
    }

    @Test
    void seedDecides() {
        assertThat(new QueuePairNumbers(1).next()).isEqualTo(new QueuePairNumbers(1).next());
        assertThat(new QueuePairNumbers(1).next()).isNotEqualTo(new QueuePairNumbers(2).next());
    }
}
