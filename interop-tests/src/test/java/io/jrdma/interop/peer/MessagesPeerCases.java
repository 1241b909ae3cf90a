package io.jrdma.interop.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Plain messages: {@code rdma_client}, {@code rdma_server} and {@code ucmatose} of rdma-core against ours. */
abstract class MessagesPeerCases {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final AtomicInteger NEXT_PORT = new AtomicInteger(7500);

    private final String port = Integer.toString(NEXT_PORT.getAndIncrement());
    private final String transport;

    MessagesPeerCases(String transport) {
        this.transport = transport;
    }

    /** Options of our ucmatose as a server. */
    abstract List<String> ucmatoseServerOptions();

    @ParameterizedTest
    @ValueSource(strings = {"10.77.0.2", "fd77::2"})
    void javaRdmaClientAgainstTheCServer(String address, PeerRig rig) {
        GuestJob server = startCServer(rig, "rdma_server -s " + address + " -p " + port);
        assertThat(rig.namespace()
                        .runJrdma(LIMIT, java("rdma-client", "-s", address, "-p", port))
                        .orFail()
                        .output())
                .contains("rdma_client: end 0");
        assertThat(server.await(LIMIT).orFail().output()).contains("rdma_server: end 0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.77.0.1", "fd77::1"})
    void cRdmaClientAgainstTheJavaServer(String address, PeerRig rig) {
        try (PeerProcess server = startJavaServer(rig, "rdma-server", "-b", address, "-p", port)) {
            assertThat(rig.guest()
                            .run("rdma_client -s " + address + " -p " + port, LIMIT)
                            .orFail()
                            .output())
                    .contains("rdma_client: end 0");
            assertThat(server.await(LIMIT).orFail().output()).contains("rdma_server: end 0");
        }
    }

    /** The C server sends its ten messages as soon as it is connected. */
    @ParameterizedTest
    @ValueSource(strings = {"10.77.0.2", "fd77::2"})
    void javaUcmatoseClientAgainstTheCServer(String address, PeerRig rig) {
        GuestJob server = startCServer(rig, "ucmatose -b " + address + " -p " + port);
        assertThat(rig.namespace()
                        .runJrdma(LIMIT, java("ucmatose", "-s", address, "-p", port))
                        .orFail()
                        .output())
                .contains("data transfers complete")
                .contains("return status 0");
        assertThat(server.await(LIMIT).orFail().output())
                .contains("data transfers complete")
                .contains("return status 0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.77.0.1", "fd77::1"})
    void cUcmatoseClientAgainstTheJavaServer(String address, PeerRig rig) {
        List<String> arguments = new ArrayList<>(List.of("ucmatose", "-b", address, "-p", port));
        arguments.addAll(ucmatoseServerOptions());
        try (PeerProcess server = startJavaServer(rig, arguments.toArray(String[]::new))) {
            assertThat(rig.guest()
                            .run("ucmatose -s " + address + " -p " + port, LIMIT)
                            .orFail()
                            .output())
                    .contains("data transfers complete")
                    .contains("return status 0");
            assertThat(server.await(LIMIT).orFail().output())
                    .contains("data transfers complete")
                    .contains("return status 0");
        }
    }

    private GuestJob startCServer(PeerRig rig, String command) {
        return rig.guest().startServer(command, Integer.parseInt(port), LIMIT);
    }

    private PeerProcess startJavaServer(PeerRig rig, String... arguments) {
        return OurServers.startListening(rig, LIMIT, java(arguments));
    }

    private String[] java(String... line) {
        return Stream.concat(Stream.of(line), Stream.of("--transport", transport))
                .toArray(String[]::new);
    }
}
