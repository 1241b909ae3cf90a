package io.jrdma.tools.rping;

import io.jrdma.tools.Destination;
import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.Transport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What an rping run was asked to do, after all checks.
 *
 * @param transport the wire
 * @param device how devices are opened
 * @param server the server to connect to, or where to listen
 * @param source the address to connect from, or null for the one that the route gives
 * @param size bytes of ping data, of the server's buffer
 * @param count pings of each connection, 0 for no end
 * @param connections connections one after another
 * @param verbose whether to print the data
 * @param validate whether to check the data
 * @param persistent whether the server goes on after the first client
 * @param fixedDepths whether the server answers with IRD and ORD 1 instead of what the client asked for
 * @param patience how long nothing may happen before a connection is given up
 * @param mpa how the connection is set up
 */
record RpingSettings(
        Transport transport,
        DeviceOptions device,
        Destination server,
        @Nullable InetAddress source,
        int size,
        int count,
        int connections,
        boolean verbose,
        boolean validate,
        boolean persistent,
        boolean fixedDepths,
        Duration patience,
        MpaOptions mpa) {
    /** Where to connect to, or to listen. */
    InetSocketAddress address() {
        return server.address();
    }

    /** As good as no limit. */
    static final Duration FOREVER = Duration.ofDays(365);
}
