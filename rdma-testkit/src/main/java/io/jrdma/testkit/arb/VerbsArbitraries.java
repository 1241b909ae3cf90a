package io.jrdma.testkit.arb;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Generators for properties about whole transports. */
public final class VerbsArbitraries {
    private VerbsArbitraries() {}

    /** Payload sizes, with the values at which code breaks. */
    public static Arbitrary<Integer> payloadBytes(int max) {
        return Arbitraries.integers().between(0, max).edgeCases(config -> {
            for (int edge : new int[] {0, 1, 3, 4, 64, 128, 512, 1440, 4096, max}) {
                if (edge <= max) {
                    config.add(edge);
                }
            }
        });
    }

    /** Programs of work requests on so many connections. */
    public static Arbitrary<List<WorkStep>> workPrograms(int queuePairs, int maxBytes, int maxSteps) {
        Arbitrary<Long> pauses = Arbitraries.of(0L, 0L, 1_000L, 100_000L);
        return Combinators.combine(
                        Arbitraries.of(WorkStep.Kind.class),
                        Arbitraries.integers().between(0, 1),
                        Arbitraries.integers().between(0, queuePairs - 1),
                        payloadBytes(maxBytes),
                        Arbitraries.integers().between(1, 4),
                        Arbitraries.integers().between(0, 7),
                        pauses)
                .as((kind, side, queuePair, bytes, elements, flags, pause) -> new WorkStep(
                        kind,
                        side,
                        queuePair,
                        bytes,
                        elements,
                        (flags & 1) == 0,
                        (flags & 2) != 0,
                        (flags & 4) != 0,
                        pause))
                .list()
                .ofMaxSize(maxSteps);
    }

    /** How a stream of so many bytes may be cut: lengths of 1 or more that add up to it. */
    public static Arbitrary<List<Integer>> byteSplits(int length) {
        return Arbitraries.integers()
                .between(1, Math.max(1, length))
                .edgeCases(config -> config.add(1))
                .list()
                .ofMaxSize(Math.max(1, length))
                .map(lengths -> cut(lengths, length));
    }

    private static List<Integer> cut(List<Integer> lengths, int total) {
        List<Integer> cuts = new ArrayList<>();
        int left = total;
        for (int length : lengths) {
            if (left == 0) {
                break;
            }
            int next = Math.min(left, length);
            cuts.add(next);
            left -= next;
        }
        if (left > 0) {
            cuts.add(left);
        }
        return cuts;
    }
}
