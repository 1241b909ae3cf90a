package io.jrdma.tools.demo;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** The demo's results as text: a line for each operation, time and result side by side for each run. */
final class DemoTable {
    private static final String GAP = "   ";

    private DemoTable() {}

    /** The lines. */
    static List<String> lines(List<DemoResult> results) {
        Set<String> runs = new LinkedHashSet<>();
        Map<String, Map<String, DemoResult>> rows = new LinkedHashMap<>();
        for (DemoResult result : results) {
            runs.add(result.run());
            rows.computeIfAbsent(result.operation(), name -> new LinkedHashMap<>())
                    .put(result.run(), result);
        }
        List<List<String>> cells = new ArrayList<>();
        List<String> head = new ArrayList<>(List.of("operation", "bytes"));
        for (String run : runs) {
            head.add(run);
            head.add("result");
        }
        cells.add(head);
        rows.forEach((operation, row) -> cells.add(cells(operation, row, runs)));
        return align(cells);
    }

    private static List<String> cells(String operation, Map<String, DemoResult> row, Set<String> runs) {
        List<String> line = new ArrayList<>();
        line.add(operation);
        line.add(String.valueOf(
                row.values().stream().mapToLong(DemoResult::bytes).max().orElse(0)));
        for (String run : runs) {
            DemoResult result = row.get(run);
            line.add(result == null ? "-" : String.format(Locale.ROOT, "%.1f us", result.nanos() / 1000.0));
            line.add(result == null ? "-" : result.isGood() ? "ok" : "FAILED");
        }
        return line;
    }

    /** Numbers to the right, words to the left. */
    private static List<String> align(List<List<String>> cells) {
        int[] widths = IntStream.range(0, cells.getFirst().size())
                .map(column -> cells.stream()
                        .mapToInt(line -> line.get(column).length())
                        .max()
                        .orElse(0))
                .toArray();
        List<String> lines = new ArrayList<>();
        for (List<String> line : cells) {
            StringBuilder text = new StringBuilder();
            for (int column = 0; column < widths.length; column++) {
                boolean right = column == 1 || (column > 1 && column % 2 == 0);
                String cell = line.get(column);
                String blanks = " ".repeat(widths[column] - cell.length());
                text.append(column == 0 ? "" : GAP).append(right ? blanks + cell : cell + blanks);
            }
            lines.add(text.toString().stripTrailing());
        }
        return lines;
    }
}
