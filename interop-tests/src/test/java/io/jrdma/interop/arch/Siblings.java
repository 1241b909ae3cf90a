package io.jrdma.interop.arch;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The modules that stand beside this one, as their build left them. */
final class Siblings {

    private static final Set<String> TEST_CODE = Set.of("rdma-testing", "rdma-testkit");

    private Siblings() {}

    /** Each module's {@code target/classes} that exists. */
    static List<Path> outputDirectories() {
        return directories("classes");
    }

    /** The {@code src/main/java} of each module whose code is not for tests alone. */
    static List<Path> mainSources() {
        return directories(Path.of("src/main/java")).stream()
                .filter(sources -> !TEST_CODE.contains(
                        sources.getName(sources.getNameCount() - 4).toString()))
                .toList();
    }

    private static List<Path> directories(String name) {
        return directories(Path.of("target").resolve(name));
    }

    private static List<Path> directories(Path inModule) {
        try (Stream<Path> modules = Files.list(root())) {
            return modules.map(module -> module.resolve(inModule))
                    .filter(Files::isDirectory)
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static JavaClasses mainClasses() {
        return new ClassFileImporter().importPaths(outputDirectories());
    }

    static JavaClasses testClasses() {
        return new ClassFileImporter().importPaths(directories("test-classes"));
    }

    private static Path root() {
        Path directory = Path.of("").toAbsolutePath();
        while (directory != null && !Files.isDirectory(directory.resolve("rdma-wire"))) {
            directory = directory.getParent();
        }
        if (directory == null) {
            throw new IllegalStateException(
                    "not inside the project: " + Path.of("").toAbsolutePath());
        }
        return directory;
    }
}
