package io.jrdma.verbs.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SeedsTest {
    /** Fixed values: a seed that was printed once must mean the same run for ever. SHA-256 of seed, number and name. */
    @Test
    void childrenStayTheSameForEver() {
        assertThat(Seeds.child(0, "")).isEqualTo(0x374708fff7719dd5L);
        assertThat(Seeds.child(1, "engine")).isEqualTo(Seeds.child(1, "engine", 0));
    }

    @Test
    void namesNumbersAndSeedsAllMatter() {
        Set<Long> seen = new HashSet<>();
        for (long seed = -2; seed < 3; seed++) {
            for (long number = -2; number < 3; number++) {
                for (String name : new String[] {"", "a", "b", "ab"}) {
                    assertThat(seen.add(Seeds.child(seed, name, number))).isTrue();
                }
            }
        }
    }
}
