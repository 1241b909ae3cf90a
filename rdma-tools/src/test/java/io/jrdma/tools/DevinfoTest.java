package io.jrdma.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.NetworkInterface;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class DevinfoTest {
    private static String loopback;

    @BeforeAll
    static void findLoopback() throws Exception {
        loopback = "iwarp_"
                + NetworkInterface.getByInetAddress(InetAddress.getByName("127.0.0.1"))
                        .getName();
    }

    @Test
    void listHasNamesOnly() {
        Running.Ended ended = Running.run("devinfo", "-l");
        assertThat(ended.exitCode()).isZero();
        assertThat(ended.out()).containsPattern("^\\d+ devices? found:\\R").contains("\t" + loopback);
        assertThat(ended.out()).doesNotContain("transport");
    }

    @Test
    void aDeviceHasAddressesAndAPort() {
        Running.Ended ended = Running.run("devinfo", "-d", loopback);
        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(ended.out())
                .containsPattern("(?m)^hca_id: +" + loopback + "$")
                .containsPattern("(?m)^\ttransport: +iWARP \\(1\\)$")
                .containsPattern("(?m)^\taddresses: +127\\.0\\.0\\.1$")
                .containsPattern("(?m)^\tport: +1$")
                .containsPattern("(?m)^\t\tstate: +PORT_ACTIVE \\(4\\)$")
                .containsPattern("(?m)^\t\tactive_mtu: +4096$")
                .doesNotContain("max_qp:");
    }

    @Test
    void limitsComeWithVerbose() {
        Running.Ended ended = Running.run("devinfo", "-v", "-d", loopback);
        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(ended.out())
                .containsPattern("(?m)^\tmax_qp: +\\d+$")
                .containsPattern("(?m)^\tmax_qp_rd_atom: +\\d+$")
                .containsPattern("(?m)^\toperations: +RDMA_READ$");
    }

    @Test
    void jsonHasEverything() {
        Running.Ended ended = Running.run("devinfo", "--json", "-d", loopback);
        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(ended.out())
                .startsWith("[")
                .contains("\"hca_id\": \"" + loopback + "\"", "\"max_mr\": ", "\"127.0.0.1\"", "\"link_layer\": ");
    }
}
