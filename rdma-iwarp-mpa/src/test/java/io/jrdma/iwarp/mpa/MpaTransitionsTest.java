package io.jrdma.iwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class MpaTransitionsTest {
    @Test
    void theTableIsTheCommittedOne() throws IOException {
        try (InputStream in = MpaTransitionsTest.class.getResourceAsStream("/snapshots/mpa-transitions.txt")) {
            assertThat(in).isNotNull();
            assertThat(MpaTransitions.describe()).isEqualTo(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @Test
    void everyStateButTheLastOnesEndsWithTheStream() {
        for (MpaState state : MpaState.values()) {
            boolean last = switch (state) {
                case DISAGREED, FULL_OPERATION, REJECTED, FAILED -> true;
                default -> false;
            };
            assertThat(MpaTransitions.next(state, MpaEvent.STREAM_GONE))
                    .as(state.toString())
                    .isEqualTo(last ? null : MpaState.FAILED);
        }
    }

    @Test
    void noEventLeadsOutOfFailure() {
        for (MpaEvent event : MpaEvent.values()) {
            assertThat(MpaTransitions.next(MpaState.FAILED, event)).isNull();
            assertThat(MpaTransitions.next(MpaState.REJECTED, event)).isNull();
        }
    }
}
