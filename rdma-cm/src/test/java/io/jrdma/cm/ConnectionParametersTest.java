package io.jrdma.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.verbs.MpaOptions;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ConnectionParametersTest {
    private static Arguments refused(String text, Consumer<ConnectionParameters.Builder> change) {
        return Arguments.argumentSet(text, text, change);
    }

    static Stream<Arguments> outOfRange() {
        return Stream.of(
                refused("responderResources -1", builder -> builder.responderResources(-1)),
                refused("responderResources 16383", builder -> builder.responderResources(0x3FFF)),
                refused("initiatorDepth -1", builder -> builder.initiatorDepth(-1)),
                refused("initiatorDepth 16383", builder -> builder.initiatorDepth(0x3FFF)),
                refused("retryCount 8", builder -> builder.retryCount(8)),
                refused("retryCount -1", builder -> builder.retryCount(-1)),
                refused("rnrRetryCount 8", builder -> builder.rnrRetryCount(8)),
                refused("513 bytes", builder -> builder.privateData(new byte[513])));
    }

    @ParameterizedTest
    @MethodSource("outOfRange")
    void valueOutOfRangeIsRefusedByNameAndRange(String text, Consumer<ConnectionParameters.Builder> change) {
        ConnectionParameters.Builder builder = ConnectionParameters.builder();
        change.accept(builder);
        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(text)
                .hasMessageContaining("0..");
    }

    @Test
    void everySettingIsKept() {
        MpaOptions mpa = MpaOptions.builder().crc(false).build();
        ConnectionParameters parameters = ConnectionParameters.builder()
                .privateData(new byte[] {1, 2})
                .responderResources(3)
                .initiatorDepth(0)
                .retryCount(0)
                .rnrRetryCount(6)
                .flowControl(false)
                .mpa(mpa)
                .build()
                .toBuilder()
                .build();
        assertThat(parameters.privateData()).containsExactly(1, 2);
        assertThat(parameters.responderResources()).isEqualTo(3);
        assertThat(parameters.initiatorDepth()).isZero();
        assertThat(parameters.retryCount()).isZero();
        assertThat(parameters.rnrRetryCount()).isEqualTo(6);
        assertThat(parameters.flowControl()).isFalse();
        assertThat(parameters.mpa()).isSameAs(mpa);
    }

    @Test
    void privateDataIsCopiedBothWays() {
        byte[] own = {1};
        ConnectionParameters parameters =
                ConnectionParameters.builder().privateData(own).build();
        own[0] = 2;
        assertThat(parameters.privateData()).containsExactly(1);
        parameters.privateData()[0] = 3;
        assertThat(parameters.privateData()).containsExactly(1);
    }
}
