package io.jrdma.tools;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The answer to {@code --version}; the number comes from the build. */
final class Version implements IVersionProvider {
    private static final String RESOURCE = "version.properties";

    @Override
    public String[] getVersion() {
        return new String[] {"jrdma " + number()};
    }

    private static String number() {
        Properties properties = new Properties();
        try (InputStream in = Version.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException("no resource " + RESOURCE + " beside " + Version.class);
            }
            properties.load(in);
        } catch (IOException failure) {
            throw new UncheckedIOException(RESOURCE, failure);
        }
        return properties.getProperty("version");
    }
}
