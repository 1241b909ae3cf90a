package io.jrdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;

class AddressHandleTest {
    private final DeviceFixture fixture = DeviceFixture.byHand();
    private final ProtectionDomain domain = fixture.device.allocateProtectionDomain();
    private final AddressVector destination = AddressVector.to(InetAddress.getLoopbackAddress());

    @Test
    void aHandleKeepsItsPathUntilItIsClosed() {
        AddressHandle handle = domain.createAddressHandle(destination);
        assertThat(handle.destination()).isEqualTo(destination);
        assertThat(fixture.driver.engine().paths).containsExactly(destination);
        handle.close();
        handle.close();
        assertThat(handle.isClosed()).isTrue();
        assertThat(fixture.driver.engine().paths).isEmpty();
    }

    @Test
    void aDomainThatIsClosedTakesItsHandlesAlong() {
        AddressHandle handle = domain.createAddressHandle(destination);
        domain.close();
        assertThat(handle.isClosed()).isTrue();
        assertThat(fixture.driver.engine().paths).isEmpty();
        assertThatThrownBy(() -> domain.createAddressHandle(destination)).isInstanceOf(VerbsException.class);
    }

    @Test
    void aHandleMayOutliveItsDevice() {
        AddressHandle handle = domain.createAddressHandle(destination);
        fixture.device.close();
        handle.close();
        assertThat(handle.isClosed()).isTrue();
    }

    @Test
    void aQueuePairNumberHasTwentyFourBits() {
        AddressHandle handle = domain.createAddressHandle(destination);
        assertThatThrownBy(() -> new SendWr().datagram(handle, 1 << 24, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("16777216");
        assertThat(new SendWr().datagram(handle, 0xFF_FFFF, 5).reset().addressHandle())
                .isNull();
    }
}
