package io.jrdma.testkit.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.spi.Seeds;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;

/** What the extension does with a seed that is given, and when a test fails. */
class SimSeedReplayTest {
    @SuppressWarnings("unused") // found by reflection
    private static void sample(@SimSeed long seed) {}

    private static final class Calls {
        final Map<Object, Object> store = new HashMap<>();
        final Map<String, String> reported = new HashMap<>();
        final Method method = method();
        String given;
        String base;

        private static Method method() {
            try {
                return SimSeedReplayTest.class.getDeclaredMethod("sample", long.class);
            } catch (NoSuchMethodException impossible) {
                throw new AssertionError(impossible);
            }
        }

        ExtensionContext context() {
            ExtensionContext.Store stored = proxy(ExtensionContext.Store.class, (called, arguments) -> {
                if (called.getName().equals("put")) {
                    store.put(arguments[0], arguments[1]);
                    return null;
                }
                return store.get(arguments[0]);
            });
            return proxy(ExtensionContext.class, (called, arguments) -> switch (called.getName()) {
                case "getConfigurationParameter" ->
                    Optional.ofNullable(arguments[0].equals(SimSeedExtension.BASE) ? base : given);
                case "getRequiredTestClass" -> SimSeedReplayTest.class;
                case "getRequiredTestMethod" -> method;
                case "getDisplayName" -> "sample(long)";
                case "getStore" -> stored;
                case "publishReportEntry" -> reported.put((String) arguments[0], (String) arguments[1]);
                default -> null;
            });
        }

        ParameterContext parameter() {
            return proxy(ParameterContext.class, (called, arguments) -> switch (called.getName()) {
                case "getParameter" -> method.getParameters()[0];
                case "isAnnotated" -> true;
                default -> null;
            });
        }
    }

    private interface Answer {
        Object to(Method called, Object[] arguments);
    }

    private static <T> T proxy(Class<T> type, Answer answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, called, arguments) -> answer.to(called, arguments)));
    }

    @Test
    void anotherBaseGivesAnotherSeed() {
        Calls fixed = new Calls();
        Calls fresh = new Calls();
        fresh.base = "5";
        SimSeedExtension extension = new SimSeedExtension();
        Object seed = extension.resolveParameter(fresh.parameter(), fresh.context());
        assertThat(seed).isEqualTo(Seeds.child(5, SimSeedReplayTest.class.getName() + ".sample(long)"));
        assertThat(extension.resolveParameter(fixed.parameter(), fixed.context()))
                .isEqualTo(Seeds.child(0, SimSeedReplayTest.class.getName() + ".sample(long)"))
                .isNotEqualTo(seed);
    }

    @Test
    void givenSeedCountsAndAFailureNamesIt() {
        Calls calls = new Calls();
        calls.given = "1234";
        SimSeedExtension extension = new SimSeedExtension();
        assertThat(extension.supportsParameter(calls.parameter(), calls.context()))
                .isTrue();
        assertThat(extension.resolveParameter(calls.parameter(), calls.context()))
                .isEqualTo(1234L);
        String line = "replay: mvn test -Dtest=SimSeedReplayTest#sample -Djrdma.sim.seed=1234";
        PrintStream before = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            extension.testFailed(calls.context(), new AssertionError());
        } finally {
            System.setErr(before);
        }
        assertThat(printed.toString(StandardCharsets.UTF_8).strip()).isEqualTo(line);
        // JUnit takes neither a blank key nor a blank value
        assertThat(calls.reported).containsExactly(Map.entry("replay", line));
    }
}
