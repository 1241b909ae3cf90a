package io.jrdma.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.verbs.VerbsException;
import org.junit.jupiter.api.Test;

class RemoteMemoryTest {
    @Test
    void bytesAreAddressKeyLengthInNetworkOrder() {
        byte[] bytes = new RemoteMemory(0x0102030405060708L, 0x090A0B0C, 0x0D0E0F1011121314L).toBytes();
        byte[] expected = new byte[20];
        for (int i = 0; i < 20; i++) {
            expected[i] = (byte) (i + 1);
        }
        assertThat(bytes).isEqualTo(expected);
    }

    @Test
    void tooFewBytesAreRefused() {
        assertThatThrownBy(() -> RemoteMemory.of(new byte[19]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("19");
        byte[] negative = new byte[20];
        negative[12] = -1;
        assertThatThrownBy(() -> RemoteMemory.of(negative)).isInstanceOf(IllegalArgumentException.class);
        assertThat(RemoteMemory.of(new byte[21])).isEqualTo(new RemoteMemory(0, 0, 0));
    }

    @Test
    void partsLieInside() {
        RemoteMemory memory = new RemoteMemory(-100, 7, 50);
        assertThat(memory.slice(0, 50)).isEqualTo(memory);
        assertThat(memory.slice(10, 20)).isEqualTo(new RemoteMemory(-90, 7, 20));
        assertThat(memory.slice(50, 0)).isEqualTo(new RemoteMemory(-50, 7, 0));
        for (long[] bad : new long[][] {{-1, 1}, {0, 51}, {50, 1}, {1, -1}, {Long.MAX_VALUE, 1}, {1, Long.MAX_VALUE}}) {
            assertThatThrownBy(() -> memory.slice(bad[0], bad[1]))
                    .as("%d, %d", bad[0], bad[1])
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("EINVAL");
        }
    }
}
