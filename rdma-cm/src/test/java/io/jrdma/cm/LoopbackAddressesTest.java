package io.jrdma.cm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class LoopbackAddressesTest {
    /** More than 256 in a row, so that every last byte has its turn. */
    private static final int MANY = 1_000;

    /** Elsewhere the other addresses of the network are not there unless somebody adds them. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void everyAddressCanBeBound() throws IOException {
        Set<InetAddress> drawn = new HashSet<>();
        for (int i = 0; i < MANY; i++) {
            InetAddress address = LoopbackAddresses.next();
            assertThat(address.isLoopbackAddress()).as(address.toString()).isTrue();
            drawn.add(address);
            try (DatagramChannel channel = DatagramChannel.open(StandardProtocolFamily.INET)) {
                channel.bind(new InetSocketAddress(address, 0));
            }
        }
        assertThat(drawn).hasSize(MANY);
    }
}
