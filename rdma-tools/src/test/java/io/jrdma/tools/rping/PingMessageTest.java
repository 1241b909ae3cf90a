package io.jrdma.tools.rping;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class PingMessageTest {
    @Test
    void fieldsAreInNetworkOrder() {
        byte[] bytes = new byte[PingMessage.LENGTH];
        new PingMessage(0x0102_0304_0506_0708L, 0x90A0_B0C0, 100).write(MemorySegment.ofArray(bytes));
        assertThat(HexFormat.of().formatHex(bytes)).isEqualTo("010203040506070890a0b0c000000064");
    }

    @Test
    void whatIsWrittenIsRead() {
        PingMessage message = new PingMessage(-2, -3, -4);
        MemorySegment memory = MemorySegment.ofArray(new byte[PingMessage.LENGTH]);
        message.write(memory);
        assertThat(PingMessage.read(memory)).isEqualTo(message);
        assertThat(message.toString()).isEqualTo("rkey fffffffd addr fffffffffffffffe len 4294967292");
    }
}
