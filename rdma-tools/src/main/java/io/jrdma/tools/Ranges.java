package io.jrdma.tools;

import java.lang.reflect.AnnotatedElement;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Checks of numbers from the command line. */
public final class Ranges {
    private Ranges() {}

    /** Complains of wrong usage, naming the option, its value and what is allowed. */
    public static void check(String option, long value, long min, long max) {
        if (value < min || value > max) {
            throw ToolException.usage(option + " " + value + " is outside " + min + ".." + max);
        }
    }

    /** Checks every option that was given and whose field says {@link Whole}. */
    static void check(ParseResult given) {
        for (OptionSpec option : given.matchedOptions()) {
            Whole allowed = allowed(option);
            Object value = option.getValue();
            if (allowed != null && value instanceof Integer number) {
                try {
                    check(option.names()[0], number, allowed.min(), allowed.max());
                } catch (ToolException wrong) {
                    throw new ParameterException(
                            given.commandSpec().commandLine(), String.valueOf(wrong.getMessage()), wrong);
                }
            }
        }
    }

    /** The complaint of what is no number where one is due, or one that no {@code int} holds; null if something else is wrong. */
    static @Nullable String complaint(ParameterException failure) {
        Whole allowed = failure.getArgSpec() instanceof OptionSpec option ? allowed(option) : null;
        String value = failure.getValue();
        if (allowed == null || value == null || !(failure.getArgSpec() instanceof OptionSpec option)) {
            return null;
        }
        return option.names()[0] + " " + value + " is not a whole number of " + allowed.min() + ".." + allowed.max();
    }

    private static @Nullable Whole allowed(ArgSpec option) {
        return option.userObject() instanceof AnnotatedElement field ? field.getAnnotation(Whole.class) : null;
    }
}
