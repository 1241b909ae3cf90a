package io.jrdma.tools.demo;

import io.jrdma.tools.Json;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How one operation of the demo went.
 *
 * @param run over which transport and address, such as {@code iwarp 127.0.0.1}
 * @param operation which operation
 * @param bytes of payload
 * @param nanos from posting to the last completion at the active side, in nanoseconds
 * @param failure what was wrong, or null
 */
record DemoResult(
        String run,
        String operation,
        long bytes,
        long nanos,
        @Nullable String failure) {
    boolean isGood() {
        return failure == null;
    }

    /** For {@link Json}. */
    Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("run", run);
        fields.put("operation", operation);
        fields.put("bytes", bytes);
        fields.put("microseconds", nanos / 1000.0);
        fields.put("ok", isGood());
        if (failure != null) {
            fields.put("failure", failure);
        }
        return fields;
    }
}
