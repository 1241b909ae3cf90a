package io.jrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.DeviceOptions.Progress;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.spi.DeviceDriver;
import io.jrdma.verbs.spi.DriverProvider;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.Collections;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Finding and opening drivers. */
class NettyDriverProviderTest {
    private final NettyDriverProvider provider = new NettyDriverProvider();

    @Test
    void theServiceLoaderFindsIt() {
        assertThat(ServiceLoader.load(DriverProvider.class)).hasAtLeastOneElementOfType(NettyDriverProvider.class);
        assertThat(provider.supports(Transport.IWARP)).isTrue();
        assertThat(provider.supports(Transport.ROCE_V2)).isTrue();
        assertThat(provider.name()).isEqualTo("netty");
    }

    @Test
    void anAddressOfAnotherHostCannotBeOpened() throws Exception {
        // TEST-NET-1 (RFC 5737)
        InetAddress foreign = InetAddress.getByName("192.0.2.1");
        assertThatThrownBy(() -> provider.open(Transport.IWARP, foreign, DeviceOptions.DEFAULT))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EADDRNOTAVAIL))
                .hasMessageContaining("192.0.2.1");
    }

    @Test
    void everyLoopbackAddressAndTheWildcardCanBeOpened() throws Exception {
        for (String address : new String[] {"127.0.0.1", "127.0.0.2", "0.0.0.0"}) {
            try (DeviceDriver driver =
                    provider.open(Transport.IWARP, InetAddress.getByName(address), DeviceOptions.DEFAULT)) {
                assertThat(driver.interfaceMtu()).isBetween(576, 1 << 20);
            }
        }
    }

    @Test
    void theSeedIsTheOneAskedForOrAnother() {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        DeviceOptions manual = DeviceOptions.DEFAULT.withProgress(Progress.MANUAL);
        try (DeviceDriver fixed = provider.open(Transport.IWARP, loopback, manual.withSeed(42));
                DeviceDriver one = provider.open(Transport.IWARP, loopback, manual);
                DeviceDriver other = provider.open(Transport.IWARP, loopback, manual)) {
            assertThat(fixed.seed()).isEqualTo(42);
            assertThat(one.seed()).isNotEqualTo(other.seed());
        }
    }

    @Test
    void theLocalAddressIsTheOneTheSystemSendsFrom() throws Exception {
        assertThat(provider.localAddressFor(InetAddress.getByName("127.0.0.1")))
                .isEqualTo(InetAddress.getByName("127.0.0.1"));
    }

    @Test
    void aLinkLocalAddressKeepsItsInterface() throws Exception {
        Inet6Address linkLocal = null;
        for (NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            for (InetAddress address : Collections.list(network.getInetAddresses())) {
                if (network.isUp() && address instanceof Inet6Address six && six.isLinkLocalAddress()) {
                    linkLocal = six;
                }
            }
        }
        Assumptions.assumeTrue(linkLocal != null, "no interface here has a link-local address");
        InetAddress local = provider.localAddressFor(linkLocal);
        assertThat(local).isEqualTo(linkLocal);
        assertThat(((Inet6Address) local).getScopeId()).isEqualTo(linkLocal.getScopeId());
    }

    @Test
    void anIpv4EndThatAnIpv6SocketReportsIsPlain() throws Exception {
        byte[] mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 10, 1, 2, 3};
        InetSocketAddress end = new InetSocketAddress(Inet6Address.getByAddress(null, mapped, -1), 7);
        assertThat(Addresses.plain(end)).isEqualTo(new InetSocketAddress("10.1.2.3", 7));
        InetSocketAddress six = new InetSocketAddress("2001:db8::1", 7);
        assertThat(Addresses.plain(six)).isEqualTo(six);
        assertThat(Addresses.plain(null)).isNull();
    }

    @Test
    void whatTheBackendCannotDoIsRefused() {
        Assumptions.assumeTrue(IoBackend.IO_URING.isAvailable(), "io_uring does not work here");
        NettyDriverProvider uring = new NettyDriverProvider(
                NettyOptions.builder().backend(IoBackend.IO_URING).build());
        assertThatThrownBy(() -> uring.open(
                        Transport.IWARP,
                        InetAddress.getLoopbackAddress(),
                        DeviceOptions.DEFAULT.withProgress(Progress.MANUAL)))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP));
        assertThatThrownBy(() -> uring.open(Transport.ROCE_V2, InetAddress.getLoopbackAddress(), DeviceOptions.DEFAULT))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP));
    }

    @Test
    void optionsNameWhatIsOutOfRange() {
        assertThatThrownBy(() -> NettyOptions.builder().sendBufferBytes(1000).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("sendBufferBytes 1000 is outside 131072..");
        assertThatThrownBy(() ->
                        NettyOptions.builder().linger(java.time.Duration.ZERO).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("linger");
        assertThatThrownBy(() -> NettyOptions.builder()
                        .rocePollTime(java.time.Duration.ofSeconds(2))
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("rocePollTime 2 s is outside 0..1 s");
    }

    @Test
    void groupIsNoAddressOfADevice() throws Exception {
        InetAddress group = InetAddress.getByName("224.0.0.1");
        assertThatThrownBy(() -> new NettyDriverProvider().open(Transport.ROCE_V2, group, DeviceOptions.DEFAULT))
                .isInstanceOfSatisfying(VerbsException.class, e -> {
                    assertThat(e.errno()).isEqualTo(Errno.EADDRNOTAVAIL);
                    assertThat(e).hasMessageContaining("224.0.0.1 is the address of a multicast group");
                });
    }
}
