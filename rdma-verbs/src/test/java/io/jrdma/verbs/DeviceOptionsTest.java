package io.jrdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceOptionsTest {
    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT5S", "PT12H"})
    void limitsToAPeersSilence(Duration value) {
        assertThat(DeviceOptions.DEFAULT.withPeerTimeout(value).withSeed(3).peerTimeout())
                .isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT-1S", "PT0.001S", "PT4.999S", "PT12H0.001S"})
    void limitsThatAreNotAllowed(Duration value) {
        assertThatThrownBy(() -> DeviceOptions.DEFAULT.withPeerTimeout(value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("peerTimeout is " + value.toMillis() + " ms; allowed are 0, and 5000..43200000 ms");
    }
}
