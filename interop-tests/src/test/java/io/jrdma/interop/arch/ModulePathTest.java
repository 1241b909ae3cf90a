package io.jrdma.interop.arch;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.module.Configuration;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.lang.module.ResolvedModule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The libraries as modules. All other tests run on the class path, where a wrong descriptor goes unnoticed. */
class ModulePathTest {

    private static final Set<String> LIBRARIES = Set.of(
            "io.jrdma.wire",
            "io.jrdma.verbs",
            "io.jrdma.iwarp",
            "io.jrdma.ib",
            "io.jrdma.cm",
            "io.jrdma.netty",
            "io.jrdma.testkit");

    private static final ModuleFinder OURS = ModuleFinder.of(Siblings.outputDirectories().stream()
            .filter(directory -> Files.exists(directory.resolve("module-info.class")))
            .toArray(Path[]::new));

    @Test
    void everyLibraryIsAModule() {
        assertThat(names(OURS.findAll())).containsAll(LIBRARIES);
    }

    @Test
    void librariesResolveAndLoadAsModules() {
        ModuleFinder foreign = ModuleFinder.of(foreignJars());
        ModuleFinder both = ModuleFinder.compose(OURS, foreign);
        Configuration configuration = ModuleLayer.boot().configuration().resolve(both, ModuleFinder.of(), LIBRARIES);
        Set<String> resolved =
                configuration.modules().stream().map(ResolvedModule::name).collect(toSet());
        assertThat(resolved).containsAll(LIBRARIES);
        ModuleLayer layer =
                ModuleLayer.boot().defineModulesWithOneLoader(configuration, ClassLoader.getPlatformClassLoader());
        assertThat(layer.findModule("io.jrdma.netty")).isPresent();
    }

    /** {@code provides} counts on the module path alone, {@code META-INF/services} on the class path alone: both, and alike. */
    @Test
    void servicesAreNamedInBothPlaces() throws IOException {
        for (Path directory : Siblings.outputDirectories()) {
            Set<String> declared = new TreeSet<>();
            for (ModuleReference module : ModuleFinder.of(directory).findAll()) {
                for (ModuleDescriptor.Provides provides : module.descriptor().provides()) {
                    provides.providers().forEach(provider -> declared.add(provides.service() + " " + provider));
                }
            }
            if (Files.exists(directory.resolve("module-info.class"))) {
                assertThat(services(directory))
                        .as("META-INF/services in %s", directory)
                        .isEqualTo(declared);
            }
        }
    }

    private static Set<String> services(Path directory) throws IOException {
        Set<String> services = new TreeSet<>();
        Path files = directory.resolve("META-INF").resolve("services");
        if (Files.isDirectory(files)) {
            try (Stream<Path> list = Files.list(files)) {
                for (Path file : list.toList()) {
                    for (String line : Files.readAllLines(file)) {
                        String provider = line.replaceFirst("#.*", "").strip();
                        if (!provider.isEmpty()) {
                            services.add(file.getFileName() + " " + provider);
                        }
                    }
                }
            }
        }
        return services;
    }

    /** The jars of the class path that are not ours: Netty, SLF4J, JUnit and the rest. */
    private static Path[] foreignJars() {
        List<Path> jars = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (entry.endsWith(".jar") && !entry.contains("-SNAPSHOT") && !entry.endsWith("rdma-tools.jar")) {
                jars.add(Path.of(entry));
            }
        }
        return jars.toArray(Path[]::new);
    }

    private static Set<String> names(Set<ModuleReference> modules) {
        return modules.stream().map(module -> module.descriptor().name()).collect(toSet());
    }
}
