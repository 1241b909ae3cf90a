package io.jrdma.cm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.function.BiFunction;

/** Prints a state table pair by pair, and compares it with the committed text. */
public final class StateTables {
    private StateTables() {}

    /**
     * Checks every pair.
     *
     * @param resource under {@code snapshots}
     * @param outcome the next state, or what else becomes of the input
     */
    public static <S, I> void check(String resource, S[] states, I[] inputs, BiFunction<S, I, String> outcome) {
        StringBuilder text = new StringBuilder();
        for (S state : states) {
            for (I input : inputs) {
                text.append("%-17s %-17s %s\n".formatted(state, input, outcome.apply(state, input)));
            }
        }
        assertThat(text.toString()).isEqualTo(read("/snapshots/" + resource));
    }

    private static String read(String resource) {
        try (InputStream in = StateTables.class.getResourceAsStream(resource)) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
