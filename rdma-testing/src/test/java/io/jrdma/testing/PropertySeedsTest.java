package io.jrdma.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

class PropertySeedsTest {
    private static final List<Long> UNSEEDED = new ArrayList<>();
    private static final List<Long> NEIGHBOUR = new ArrayList<>();
    private static final List<Long> SEEDED = new ArrayList<>();

    private String given;

    /** Run by the tests below alone. */
    public static final class SampleProperties {
        @Property(tries = 50)
        void unseeded(@ForAll long value) {
            UNSEEDED.add(value);
        }

        @Property(tries = 50)
        void neighbour(@ForAll long value) {
            NEIGHBOUR.add(value);
        }

        @Property(tries = 50, seed = "42")
        void seeded(@ForAll long value) {
            SEEDED.add(value);
        }
    }

    /** What the properties drew in one run, each on its own. */
    private record Drawn(List<Long> unseeded, List<Long> neighbour, List<Long> seeded) {}

    @BeforeEach
    void rememberTheBase() {
        given = System.getProperty(PropertySeeds.BASE);
    }

    @AfterEach
    void restoreTheBase() {
        setBase(given);
    }

    private static void setBase(String base) {
        if (base == null) {
            System.clearProperty(PropertySeeds.BASE);
        } else {
            System.setProperty(PropertySeeds.BASE, base);
        }
    }

    private static Drawn run(String base) {
        setBase(base);
        UNSEEDED.clear();
        NEIGHBOUR.clear();
        SEEDED.clear();
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectClass(SampleProperties.class))
                                .configurationParameter("jqwik.database", "target/jqwik-sample-database")
                                .configurationParameter("jqwik.reporting.onlyfailures", "true")
                                .build(),
                        summary);
        assertThat(summary.getSummary().getTestsSucceededCount()).isEqualTo(3);
        return new Drawn(List.copyOf(UNSEEDED), List.copyOf(NEIGHBOUR), List.copyOf(SEEDED));
    }

    @Test
    void everyRunDrawsTheSame() {
        Drawn first = run(null);
        assertThat(first.unseeded).hasSize(50);
        assertThat(run(null)).isEqualTo(first);
        assertThat(run("0")).isEqualTo(first);
    }

    @Test
    void anotherBaseDrawsOthersButWhereTheSeedIsNamed() {
        Drawn first = run(null);
        Drawn other = run("1");
        assertThat(other.unseeded).isNotEqualTo(first.unseeded);
        assertThat(other.seeded).isEqualTo(first.seeded);
        assertThat(run("1")).isEqualTo(other);
    }

    @Test
    void everyPropertyHasASeedOfItsOwn() {
        Drawn drawn = run(null);
        assertThat(drawn.neighbour).isNotEqualTo(drawn.unseeded);
    }
}
