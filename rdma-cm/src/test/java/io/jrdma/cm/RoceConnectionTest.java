package io.jrdma.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The short way over RoCE: all that holds for a connection over iWARP. */
class RoceConnectionTest extends RdmaConnectionTest {
    @Override
    Transport transport() {
        return Transport.ROCE_V2;
    }

    /** On RoCE a sender waits for receives: what iWARP's connections die of, these bear. */
    @Override
    @Test
    void burstThatNobodyTakesEndsTheConnection() throws Exception {
        Ends ends = connect(options, options.withQueuedMessages(1));
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            sent.add(ends.client().sendAsync(new byte[] {(byte) i}));
        }
        for (int i = 0; i < 20; i++) {
            assertThat(ends.server().receive()).containsExactly(i);
        }
        CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
        assertThat(ends.client().isOpen()).isTrue();
    }
}
