package io.jrdma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.Citations;
import io.jrdma.testing.Requirements;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class WireCitationsTest {
    private final Path sources = Requirements.projectRoot().resolve("rdma-wire/src");

    @Test
    void everyCitedClauseIsListed() {
        assertThat(Citations.in(sources)).hasSizeGreaterThan(40);
        assertThat(Citations.unknown(Requirements.load(), sources)).isEmpty();
    }

    @Test
    void everyClauseThatCodeCitesIsCitedByATest() {
        assertThat(Citations.untested(sources.resolve("main"), sources.resolve("test")))
                .isEmpty();
    }
}
