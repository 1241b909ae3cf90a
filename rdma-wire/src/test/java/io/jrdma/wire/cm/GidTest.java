package io.jrdma.wire.cm;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GidTest {
    /** As RFC 5952 writes them: the longest row of zero groups is left out, of two the first, a single one never. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.0.0.1",
                "255.254.128.0",
                "::",
                "::1",
                "1::",
                "fd00::2",
                "2001:db8:0:1:1:1:1:1",
                "2001:db8::1:0:0:1",
                "2001:0:0:1::1",
                "0:1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:0",
                "ffff:fffe:8000:7fff:a:b:c:d"
            })
    void isWrittenAsAnAddress(String text) throws UnknownHostException {
        assertThat(Gid.of(InetAddress.getByName(text).getAddress())).hasToString(text);
    }
}
