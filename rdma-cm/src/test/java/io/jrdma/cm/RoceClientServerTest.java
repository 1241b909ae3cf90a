package io.jrdma.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.verbs.Transport;
import io.jrdma.wire.cm.CmRejReason;
import org.junit.jupiter.api.Test;

/** Clients and servers over RoCE: all that holds for those over iWARP. */
class RoceClientServerTest extends RdmaClientServerTest {
    @Override
    Transport transport() {
        return Transport.ROCE_V2;
    }

    /** Where no device is, nobody answers; where one is, a port without a listener refuses. */
    @Override
    @Test
    void portThatNobodyListensOnRefuses() throws Exception {
        int port = listen(options).localAddress().getPort();
        assertThatThrownBy(() -> RdmaClient.connect(transport(), "127.0.0.1", port == 9 ? 10 : 9, options))
                .isInstanceOfSatisfying(RdmaConnectException.class, why -> {
                    assertThat(why.reason()).isEqualTo(RdmaConnectException.Reason.REJECTED);
                    assertThat(why.status()).isEqualTo(CmRejReason.INVALID_SERVICE_ID);
                });
    }
}
