package io.jrdma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.Requirements;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MalformedTest {
    @Test
    void everyConstantHasItsOwnNameAndDescription() throws IllegalAccessException {
        Set<Integer> codes = new HashSet<>();
        Set<String> texts = new HashSet<>();
        for (Field field : Malformed.class.getFields()) {
            if (Modifier.isStatic(field.getModifiers()) && !field.getName().equals("COUNT")) {
                int code = field.getInt(null);
                assertThat(Malformed.name(code)).isEqualTo(field.getName());
                assertThat(codes.add(code)).as(field.getName()).isTrue();
                assertThat(texts.add(Malformed.description(code)))
                        .as(field.getName())
                        .isTrue();
            }
        }
        assertThat(codes).hasSize(Malformed.COUNT);
    }

    @Test
    void everyReasonCitesAKnownClause() {
        Map<String, ?> requirements = Requirements.load().byId();
        for (int code = 1; code < Malformed.COUNT; code++) {
            assertThat(requirements).as(Malformed.name(code)).containsKey(Malformed.requirement(code));
        }
        assertThat(Malformed.requirement(Malformed.OK)).isEmpty();
    }

    @Test
    void numbersThatAreNoCodeHaveATextToo() {
        assertThat(Malformed.name(-1)).isEqualTo("MALFORMED_-1");
        assertThat(Malformed.name(Malformed.COUNT)).isEqualTo("MALFORMED_" + Malformed.COUNT);
        assertThat(Malformed.description(9999)).isNotEmpty();
        assertThat(Malformed.requirement(9999)).isEmpty();
    }
}
