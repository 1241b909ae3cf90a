package io.jrdma.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.cm.fake.FakeNetwork;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which address an id is on: bound, chosen by the route, wildcard, of either family, with scopes. */
class AddressTest {
    private final CmPair pair = new CmPair();

    @AfterEach
    void closeAll() {
        pair.close();
    }

    private static InetAddress linkLocal(int scope) {
        try {
            byte[] address = new byte[16];
            address[0] = (byte) 0xFE;
            address[1] = (byte) 0x80;
            address[15] = 1;
            return Inet6Address.getByAddress(null, address, scope);
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private RdmaCmId id() {
        return pair.client.createId(Transport.IWARP);
    }

    @Test
    void bindingDecidesOnTheDevice() {
        RdmaCmId id = id();
        id.bind(CmPair.address("10.0.0.1", 5));
        assertThat(id.localAddress()).isEqualTo(CmPair.address("10.0.0.1", 5));
        assertThat(CmPair.deviceOf(id).localAddress().getHostAddress()).isEqualTo("10.0.0.1");
    }

    @Test
    void foreignAddressIsRefusedAndChangesNothing() {
        InetSocketAddress foreign = CmPair.address("192.0.2.1", 5);
        pair.network.notLocal(foreign.getAddress());
        RdmaCmId id = id();
        assertThatThrownBy(() -> id.bind(foreign))
                .isInstanceOfSatisfying(
                        VerbsException.class,
                        refused -> assertThat(refused.errno()).isEqualTo(Errno.EADDRNOTAVAIL));
        assertThat(id.state()).isEqualTo(RdmaCmState.IDLE);
        assertThat(id.localAddress()).isNull();
        assertThatThrownBy(() -> id.resolveAddress(foreign, CmPair.SERVER, CmPair.LONG))
                .isInstanceOf(VerbsException.class);
        assertThat(id.state()).isEqualTo(RdmaCmState.IDLE);
        id.bind(CmPair.SERVER);
    }

    @Test
    void portZeroIsReplacedWhenListening() {
        RdmaCmId id = pair.listen(CmPair.address("127.0.0.1", 0), 1);
        assertThat(id.localAddress()).isNotNull();
        assertThat(id.localAddress().getPort()).isNotZero();
    }

    @Test
    void idThatListensUnboundListensEverywhere() {
        RdmaCmId id = pair.server.createId(Transport.IWARP);
        id.listen(1);
        assertThat(id.localAddress().getAddress().isAnyLocalAddress()).isTrue();
        assertThat(id.localAddress().getPort()).isNotZero();
        pair.connecting(CmPair.address("10.0.0.1", id.localAddress().getPort()), ConnectionParameters.RECOMMENDED);
        assertThat(pair.request().listenId()).isSameAs(id);
        pair.rest(pair.client);
    }

    /** Addresses are concrete once a request is there. */
    @ParameterizedTest
    @CsvSource({"0.0.0.0,127.0.0.1", "0.0.0.0,10.0.0.1", "::,::1", "::,127.0.0.1"})
    void requestToAWildcardListenerIsOnAConcreteAddress(String wildcard, String target) {
        RdmaCmId listening = pair.server.createId(Transport.IWARP);
        listening.bind(CmPair.address(wildcard, 7471));
        assertThat(listening.device()).isNull();
        listening.listen(1);
        assertThat(listening.device()).isNotNull();
        pair.connecting(CmPair.address(target, 7471), ConnectionParameters.RECOMMENDED);
        RdmaCmId request = pair.request().id();
        assertThat(request.localAddress()).isEqualTo(CmPair.address(target, 7471));
        assertThat(request.device()).isSameAs(listening.device());
        pair.rest(pair.client);
    }

    @Test
    void takenPortIsRefusedAndTheIdStaysBound() {
        pair.listen();
        RdmaCmId second = pair.server.createId(Transport.IWARP);
        second.bind(CmPair.SERVER);
        assertThatThrownBy(() -> second.listen(1))
                .isInstanceOfSatisfying(
                        VerbsException.class,
                        refused -> assertThat(refused.errno()).isEqualTo(Errno.EADDRINUSE));
        assertThat(second.state()).isEqualTo(RdmaCmState.ADDRESS_BOUND);
    }

    @Test
    void portIsFreeWhenTheCloseReturns() {
        for (int round = 0; round < 50; round++) {
            RdmaCmId listening = pair.listen();
            CmPair.Connected ends = pair.connected();
            ends.active().close();
            ends.passive().close();
            listening.close();
        }
        pair.network.runAll();
    }

    /** The failed bind changes nothing. */
    @Test
    void bindingAListenerAgainIsRefusedAndItStillListens() {
        RdmaCmId listening = pair.listen();
        assertThatThrownBy(() -> listening.bind(CmPair.address("::1", 1))).isInstanceOf(VerbsException.class);
        assertThat(listening.localAddress()).isEqualTo(CmPair.SERVER);
        pair.connected();
    }

    @Test
    void sourceOfTheRouteIsTaken() {
        RdmaCmId id = id();
        id.resolveAddress(null, CmPair.address("10.0.0.7", 9), CmPair.LONG);
        // the network in memory reaches every address from that address itself
        assertThat(id.localAddress()).isEqualTo(CmPair.address("10.0.0.7", 0));
        assertThat(id.peerAddress()).isEqualTo(CmPair.address("10.0.0.7", 9));
    }

    @Test
    void givenSourceIsTaken() {
        RdmaCmId id = id();
        id.resolveAddress(CmPair.address("10.0.0.2", 1234), CmPair.SERVER, CmPair.LONG);
        assertThat(id.localAddress()).isEqualTo(CmPair.address("10.0.0.2", 1234));
        assertThat(CmPair.deviceOf(id).localAddress().getHostAddress()).isEqualTo("10.0.0.2");
    }

    @Test
    void portOfAWildcardSourceIsKept() {
        pair.listen();
        RdmaCmId id = id();
        id.bind(CmPair.address("0.0.0.0", 1234));
        id.resolveAddress(null, CmPair.SERVER, CmPair.LONG);
        assertThat(id.localAddress()).isEqualTo(CmPair.address("127.0.0.1", 1234));
        id.resolveRoute(CmPair.LONG);
        CmPair.queuePair(id);
        id.connect(ConnectionParameters.RECOMMENDED);
        assertThat(pair.request().id().peerAddress()).isEqualTo(CmPair.address("127.0.0.1", 1234));
        pair.rest(pair.client);
    }

    @Test
    void otherSourceThanTheBoundOneIsRefused() {
        RdmaCmId id = id();
        id.bind(CmPair.address("127.0.0.1", 5));
        assertThatThrownBy(() -> id.resolveAddress(CmPair.address("127.0.0.1", 6), CmPair.SERVER, CmPair.LONG))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining(":6")
                .hasMessageContaining(":5");
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1,::1", "::1,127.0.0.1", "0.0.0.0,::1"})
    void familiesMustAgree(String source, String destination) {
        RdmaCmId id = id();
        assertThatThrownBy(() ->
                        id.resolveAddress(CmPair.address(source, 0), CmPair.address(destination, 7471), CmPair.LONG))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("families");
        assertThat(id.state()).isEqualTo(RdmaCmState.IDLE);
    }

    @ParameterizedTest
    @CsvSource({"0.0.0.0,127.0.0.1", "::,::1"})
    void wildcardDestinationIsThisHost(String wildcard, String loopback) {
        RdmaCmId id = id();
        id.resolveAddress(null, CmPair.address(wildcard, 7471), CmPair.LONG);
        assertThat(id.peerAddress()).isEqualTo(CmPair.address(loopback, 7471));
    }

    @Test
    void nameIsRefused() {
        RdmaCmId id = id();
        InetSocketAddress name = InetSocketAddress.createUnresolved("rdma.example", 7471);
        assertThatThrownBy(() -> id.resolveAddress(null, name, CmPair.LONG))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("rdma.example");
        assertThatThrownBy(() -> id.bind(name)).isInstanceOf(VerbsException.class);
        assertThatThrownBy(() -> id.resolveAddress(name, CmPair.SERVER, CmPair.LONG))
                .isInstanceOf(VerbsException.class);
    }

    @Test
    void destinationNeedsAPort() {
        assertThatThrownBy(() -> id().resolveAddress(null, CmPair.address("127.0.0.1", 0), CmPair.LONG))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("port 0");
    }

    @Test
    void linkLocalAddressesOfTwoLinksAreTwoDevices() {
        RdmaCmId first = pair.server.createId(Transport.IWARP);
        RdmaCmId second = pair.server.createId(Transport.IWARP);
        first.bind(new InetSocketAddress(linkLocal(2), 4545));
        second.bind(new InetSocketAddress(linkLocal(3), 4545));
        assertThat(first.device()).isNotNull().isNotSameAs(second.device());
        assertThat(((Inet6Address) CmPair.deviceOf(second).localAddress()).getScopeId())
                .isEqualTo(3);
        RdmaCmId third = id();
        third.bind(new InetSocketAddress(linkLocal(2), 4545));
        assertThatThrownBy(() -> third.resolveAddress(
                        new InetSocketAddress(linkLocal(3), 4545), CmPair.address("::1", 1), CmPair.LONG))
                .isInstanceOf(VerbsException.class);
    }

    @Test
    void linkLocalAddressWithoutScopeIsRefused() {
        assertThatThrownBy(() -> id().bind(new InetSocketAddress(linkLocal(0), 4545)))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("scope");
        assertThatThrownBy(() -> id().resolveAddress(null, new InetSocketAddress(linkLocal(0), 4545), CmPair.LONG))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("scope");
    }

    // ---- a given device ----

    private RdmaDevice device(FakeNetwork network, String address) {
        return RdmaDevice.open(Transport.IWARP, CmPair.address(address, 0).getAddress(), network.options());
    }

    @Test
    void givenDeviceDecidesOnTheAddress() {
        try (RdmaDevice device = device(pair.network, "10.0.0.3")) {
            RdmaCmId listening = pair.server.createId(device);
            listening.bind(CmPair.address("0.0.0.0", 77));
            listening.listen(1);
            assertThat(listening.localAddress()).isEqualTo(CmPair.address("10.0.0.3", 77));
            RdmaCmId active = pair.server.createId(device);
            active.resolveAddress(null, CmPair.SERVER, CmPair.LONG);
            assertThat(active.localAddress()).isEqualTo(CmPair.address("10.0.0.3", 0));
            assertThat(active.device()).isSameAs(device);
        }
    }

    @Test
    void addressOfAnotherThanTheGivenDeviceIsRefused() {
        try (RdmaDevice device = device(pair.network, "10.0.0.3")) {
            RdmaCmId id = pair.server.createId(device);
            assertThatThrownBy(() -> id.bind(CmPair.address("10.0.0.4", 1)))
                    .isInstanceOfSatisfying(
                            VerbsException.class,
                            refused -> assertThat(refused.errno()).isEqualTo(Errno.EADDRNOTAVAIL));
            assertThatThrownBy(() -> id.resolveAddress(null, CmPair.address("::1", 1), CmPair.LONG))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("families");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::"})
    void deviceAtAWildcardAddressConnectsFromTheRoutesAddress(String wildcard) {
        pair.listen();
        try (RdmaDevice device = device(pair.network, wildcard)) {
            RdmaCmId id = pair.client.createId(device);
            id.resolveAddress(null, CmPair.SERVER, CmPair.LONG);
            assertThat(pair.next(pair.client)).isInstanceOf(RdmaCmEvent.AddressResolved.class);
            assertThat(id.localAddress()).isEqualTo(CmPair.address("127.0.0.1", 0));
            id.resolveRoute(CmPair.LONG);
            CmPair.queuePair(id);
            id.connect(ConnectionParameters.RECOMMENDED);
            InetSocketAddress seen = pair.request().id().peerAddress();
            assertThat(seen.getAddress()).isEqualTo(CmPair.SERVER.getAddress());
            pair.rest(pair.client);
        }
    }
}
