package io.jrdma.cm;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What messages say of addresses and times. */
class TextTest {
    @Test
    void addressesHaveNoNamesAndBracketsWhereTheyHaveColons() throws Exception {
        InetAddress named = InetAddress.getByAddress("localhost", new byte[] {127, 0, 0, 1});
        assertThat(AddressText.of(named)).isEqualTo("127.0.0.1");
        assertThat(AddressText.of(new InetSocketAddress(named, 7174))).isEqualTo("127.0.0.1:7174");
        assertThat(AddressText.of(new InetSocketAddress("::1", 7174))).isEqualTo("[::1]:7174");
        assertThat(AddressText.of(InetAddress.getByName("fe80::1%7"))).isEqualTo("fe80::1%7");
        assertThat(AddressText.of((InetSocketAddress) null)).isEqualTo("null");
    }

    @Test
    void timesHaveUnits() {
        assertThat(Durations.text(Duration.ofSeconds(10))).isEqualTo("10 s");
        assertThat(Durations.text(Duration.ofMillis(1500))).isEqualTo("1500 ms");
        assertThat(Durations.text(Duration.ofNanos(50_000))).isEqualTo("0.05 ms");
        assertThat(Durations.text(Durations.FOREVER)).endsWith(" s");
    }
}
