package io.jrdma.verbs.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** The table against a plain map with arithmetic in {@link BigInteger}. */
class MemoryTableProperties {
    private static final BigInteger TWO_64 = BigInteger.ONE.shiftLeft(64);

    enum Kind {
        REGISTER,
        DEREGISTER,
        INVALIDATE,
        CHECK
    }

    /** {@code which} picks one of the keys that were given so far, or none. */
    record Step(Kind kind, int which, int protectionDomain, int rights, long address, long length) {}

    private record Model(int protectionDomain, int rights, BigInteger base, BigInteger length) {}

    @Property(edgeCases = EdgeCasesMode.NONE) // the generators choose among edge cases themselves
    void behavesAsAMap(@ForAll("programs") List<Step> program) {
        MemoryTable table = new MemoryTable(42, 20);
        Map<Integer, Model> model = new HashMap<>();
        Map<Integer, Boolean> valid = new HashMap<>();
        List<Integer> keys = new ArrayList<>(List.of(0, 0x1234_5678));
        for (Step step : program) {
            int key = keys.get(step.which % keys.size());
            switch (step.kind) {
                case REGISTER -> {
                    // a region is never beyond 2^64, as ProtectionDomain sees to
                    long length = BigInteger.valueOf(step.length)
                            .min(TWO_64.subtract(unsigned(step.address)))
                            .max(BigInteger.ONE)
                            .longValue();
                    int given = table.register(
                            step.protectionDomain,
                            MemorySegment.ofAddress(step.address).reinterpret(length),
                            step.rights);
                    if (model.size() == 20) {
                        assertThat(given).isZero();
                    } else {
                        assertThat(model).doesNotContainKey(given);
                        keys.add(given);
                        valid.put(given, true);
                        model.put(
                                given,
                                new Model(
                                        step.protectionDomain,
                                        step.rights,
                                        unsigned(step.address),
                                        BigInteger.valueOf(length)));
                    }
                }
                case DEREGISTER -> {
                    table.deregister(key);
                    model.remove(key);
                }
                case INVALIDATE -> {
                    Model region = model.get(key);
                    AccessFault expected = region == null
                            ? AccessFault.INVALID_KEY
                            : region.protectionDomain != step.protectionDomain
                                    ? AccessFault.WRONG_PROTECTION_DOMAIN
                                    : AccessFault.NONE;
                    assertThat(table.invalidate(key, step.protectionDomain)).isEqualTo(expected);
                    if (expected == AccessFault.NONE) {
                        valid.put(key, false);
                    }
                }
                case CHECK -> {
                    Model region = model.get(key);
                    AccessFault expected =
                            region == null || !valid.get(key) ? AccessFault.INVALID_KEY : expected(region, step);
                    assertThat(table.check(key, step.protectionDomain, step.rights, step.address, step.length))
                            .isEqualTo(expected);
                }
            }
            assertThat(table.size()).isEqualTo(model.size());
        }
    }

    private static AccessFault expected(Model region, Step step) {
        if (region.protectionDomain != step.protectionDomain) {
            return AccessFault.WRONG_PROTECTION_DOMAIN;
        }
        if ((step.rights & ~region.rights) != 0) {
            return AccessFault.NO_RIGHTS;
        }
        BigInteger from = unsigned(step.address);
        BigInteger end = from.add(BigInteger.valueOf(step.length));
        if (end.compareTo(TWO_64) > 0) {
            return AccessFault.ADDRESS_WRAP;
        }
        boolean inside = from.compareTo(region.base) >= 0 && end.compareTo(region.base.add(region.length)) <= 0;
        return inside ? AccessFault.NONE : AccessFault.OUT_OF_BOUNDS;
    }

    private static BigInteger unsigned(long value) {
        BigInteger signed = BigInteger.valueOf(value);
        return value < 0 ? signed.add(TWO_64) : signed;
    }

    @Provide
    Arbitrary<List<Step>> programs() {
        // few values, close together, so that steps meet each other's regions
        Arbitrary<Long> addresses = Combinators.combine(
                        Arbitraries.of(0x1000L, Long.MAX_VALUE - 8, -0x40L),
                        Arbitraries.longs().between(-4, 0x44))
                .as(Long::sum);
        Arbitrary<Long> lengths = Arbitraries.frequencyOf(
                Tuple.of(9, Arbitraries.longs().between(0, 0x50).edgeCases(config -> config.add(0L, 1L, 0x40L))),
                Tuple.of(1, Arbitraries.of(Long.MAX_VALUE, Long.MAX_VALUE - 0x1000)));
        return Combinators.combine(
                        Arbitraries.of(Kind.class),
                        Arbitraries.integers().between(0, 1000),
                        Arbitraries.integers().between(1, 2),
                        Arbitraries.of(0, 1, 2, 3, 4, 7, 31),
                        addresses,
                        lengths)
                .as(Step::new)
                .list()
                .ofMaxSize(80);
    }
}
