package io.jrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.spi.Engine;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The heap against a list that is searched. */
class DeadlineHeapTest {
    @Test
    void itAgreesWithASearchedList() {
        for (long seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            DeadlineHeap heap = new DeadlineHeap();
            List<Hosted> all = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                all.add(new Idle());
            }
            // an origin close to the end of the range: times are compared by their difference
            long origin = random.nextBoolean() ? Long.MAX_VALUE - 500 : -200;
            for (int step = 0; step < 2000; step++) {
                Hosted one = all.get(random.nextInt(all.size()));
                switch (random.nextInt(4)) {
                    case 0, 1 -> heap.set(one, origin + 1 + random.nextInt(400));
                    case 2 -> heap.set(one, Engine.NO_DEADLINE);
                    default -> {
                        long now = origin + random.nextInt(1000);
                        boolean nothingDue = isEmpty(all) || earliest(all, origin) - now > 0;
                        Hosted due = heap.pollDue(now);
                        assertThat(due == null).isEqualTo(nothingDue);
                        if (due != null) {
                            assertThat(due.deadlineNs).isEqualTo(Engine.NO_DEADLINE);
                        }
                    }
                }
                assertThat(heap.size()).isEqualTo((int) all.stream()
                        .filter(each -> each.deadlineNs != Engine.NO_DEADLINE)
                        .count());
                if (!isEmpty(all)) {
                    assertThat(heap.earliestNs()).isEqualTo(earliest(all, origin));
                } else {
                    assertThat(heap.earliestNs()).isEqualTo(Engine.NO_DEADLINE);
                }
            }
        }
    }

    private static boolean isEmpty(List<Hosted> all) {
        return all.stream().allMatch(each -> each.deadlineNs == Engine.NO_DEADLINE);
    }

    private static long earliest(List<Hosted> all, long origin) {
        return all.stream()
                .filter(each -> each.deadlineNs != Engine.NO_DEADLINE)
                .map(each -> each.deadlineNs - origin)
                .min(Comparator.naturalOrder())
                .map(offset -> offset + origin)
                .orElse(Engine.NO_DEADLINE);
    }

    private static final class Idle extends Hosted {
        @Override
        boolean settle() {
            return false;
        }

        @Override
        void onDeadline() {}
    }
}
