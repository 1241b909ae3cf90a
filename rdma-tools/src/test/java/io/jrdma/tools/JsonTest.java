package io.jrdma.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {
    @Test
    void mapsAndListsNest() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", "a");
        map.put("count", 2);
        map.put("good", true);
        map.put("items", List.of(1.5, List.of(), Map.of()));
        assertThat(Json.text(map)).isEqualTo("""
                {
                  "name": "a",
                  "count": 2,
                  "good": true,
                  "items": [
                    1.5,
                    [],
                    {}
                  ]
                }""");
    }

    @Test
    void charactersThatJsonReservesAreEscaped() {
        assertThat(Json.text("a\"b\\c\nd\u0001e")).isEqualTo("\"a\\\"b\\\\c\\nd\\u0001e\"");
    }
}
