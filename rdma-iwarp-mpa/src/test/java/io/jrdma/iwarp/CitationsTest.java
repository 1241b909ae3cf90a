package io.jrdma.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.Citations;
import io.jrdma.testing.Requirements;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class CitationsTest {
    @Test
    void everyCitedClauseIsKnown() {
        assertThat(Citations.unknown(Requirements.load(), Path.of("src"))).isEmpty();
    }

    @Test
    void everyClauseThatTheEngineCitesHasATestThatCitesIt() {
        assertThat(Citations.untested(Path.of("src/main"), Path.of("src/test"))).isEmpty();
        assertThat(Citations.in(Path.of("src/main")).stream()
                        .map(Citations.Citation::id)
                        .distinct())
                .hasSizeGreaterThan(40);
    }
}
