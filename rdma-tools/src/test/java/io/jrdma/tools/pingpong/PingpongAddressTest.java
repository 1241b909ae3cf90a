package io.jrdma.tools.pingpong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.tools.ToolException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PingpongAddressTest {
    private static final PingpongAddress FOUR =
            new PingpongAddress(0, 0x11, 0xABCDEF, InetAddress.ofLiteral("10.77.0.3"));

    @Test
    void lineIsThatOfTheCTool() {
        assertThat(new String(FOUR.line(), StandardCharsets.US_ASCII))
                .isEqualTo("0000:000011:abcdef:00000000000000000000ffff0a4d0003\0");
        assertThat(FOUR).hasToString("LID 0x0000, QPN 0x000011, PSN 0xabcdef, GID ::ffff:10.77.0.3");
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.77.0.3", "fd77::2", "127.0.0.1"})
    void lineIsReadAsItWasWritten(String address) {
        PingpongAddress one = new PingpongAddress(0, 0xFFFFFF, 0, InetAddress.ofLiteral(address));
        assertThat(one.line()).hasSize(52);
        assertThat(PingpongAddress.parse(one.line())).isEqualTo(one);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1                                     \0",
                "0000:000011:abcdef:00000000000000000000ffff0a4d000g\0",
                "0000-000011:abcdef:00000000000000000000ffff0a4d0003\0",
                "                                                   \0"
            })
    void anythingElseIsNamed(String line) {
        assertThatThrownBy(() -> PingpongAddress.parse(line.getBytes(StandardCharsets.US_ASCII)))
                .isInstanceOf(ToolException.class)
                .hasMessageContaining(line.substring(0, 51))
                .hasMessageContaining("LID:QPN:PSN:GID");
    }
}
