package io.jrdma.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.Citations;
import io.jrdma.testing.Requirements;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class CitationsTest {
    @Test
    void everyCitedClauseIsKnown() {
        assertThat(Citations.unknown(Requirements.load(), Path.of("src"))).isEmpty();
    }

    @Test
    void everyClauseThatTheEngineCitesHasATestThatCitesIt() {
        Set<String> cited = ids(Path.of("src/main"));
        Set<String> tested = ids(Path.of("src/test"));
        Set<String> missing = new HashSet<>(cited);
        missing.removeAll(tested);
        assertThat(missing).isEmpty();
        assertThat(cited).hasSizeGreaterThan(25);
    }

    private static Set<String> ids(Path directory) {
        return Citations.in(directory).stream().map(Citations.Citation::id).collect(Collectors.toSet());
    }
}
