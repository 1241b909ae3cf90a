package io.jrdma.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressesTest {
    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, 127.0.0.1",
        "::1, ::1",
        "::, ::",
        "fd77::2, fd77::2",
        "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
        "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
        "1:2:3:4:5:6:7:8, 1:2:3:4:5:6:7:8",
        "1::, 1::",
    })
    void addressesAreWrittenShort(String given, String expected) throws Exception {
        InetAddress address = InetAddress.getByName(given);
        assertThat(Addresses.plain(address)).isEqualTo(expected);
        assertThat(InetAddress.getByName(expected)).isEqualTo(address);
    }

    @Test
    void anAddressWithPortHasBracketsWhereItHasColons() throws Exception {
        assertThat(Addresses.text(new InetSocketAddress("127.0.0.1", 7174))).isEqualTo("127.0.0.1:7174");
        assertThat(Addresses.text(new InetSocketAddress("::1", 7174))).isEqualTo("[::1]:7174");
    }

    @Test
    void anUnknownHostIsWrongUsage() {
        assertThatThrownBy(() -> Addresses.resolve("-a", "no.such.host.invalid"))
                .isInstanceOfSatisfying(
                        ToolException.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.USAGE))
                .hasMessageContaining("-a no.such.host.invalid");
    }
}
