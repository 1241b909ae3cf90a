package io.jrdma.tools;

import java.util.Map;

/** Writes JSON from maps, iterables, strings, numbers, booleans and null; maps keep their order. */
public final class Json {
    private final StringBuilder text = new StringBuilder();

    private Json() {}

    /** The value on several lines, two blanks for each level. */
    public static String text(Object value) {
        Json json = new Json();
        json.append(value, 0);
        return json.text.toString();
    }

    private void append(Object value, int level) {
        switch (value) {
            case Map<?, ?> map -> appendMap(map, level);
            case Iterable<?> items -> appendItems(items, level);
            case Number number -> text.append(number);
            case Boolean truth -> text.append(truth);
            default -> appendString(value.toString());
        }
    }

    private void appendMap(Map<?, ?> map, int level) {
        String separator = "{";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            text.append(separator);
            newLine(level + 1);
            appendString(String.valueOf(entry.getKey()));
            text.append(": ");
            append(entry.getValue(), level + 1);
            separator = ",";
        }
        close(map.isEmpty(), "{}", '}', level);
    }

    private void appendItems(Iterable<?> items, int level) {
        String separator = "[";
        for (Object item : items) {
            text.append(separator);
            newLine(level + 1);
            append(item, level + 1);
            separator = ",";
        }
        close("[".equals(separator), "[]", ']', level);
    }

    private void close(boolean empty, String nothing, char end, int level) {
        if (empty) {
            text.append(nothing);
        } else {
            newLine(level);
            text.append(end);
        }
    }

    private void newLine(int level) {
        text.append('\n').repeat("  ", level);
    }

    private void appendString(String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"', '\\' -> text.append('\\').append(c);
                case '\n' -> text.append("\\n");
                default -> {
                    if (c < 0x20) {
                        text.append("\\u%04x".formatted((int) c));
                    } else {
                        text.append(c);
                    }
                }
            }
        }
        text.append('"');
    }
}
