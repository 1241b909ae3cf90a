package io.jrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.spi.ConnectFailure;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

/** What people read when a socket fails. */
class SocketErrorsTest {
    private static final InetSocketAddress PEER = new InetSocketAddress("127.0.0.1", 9);

    @Test
    void anAddressIsNamedOnceAndNoSystemCall() {
        ConnectFailure failure = SocketErrors.connectFailure(
                new ConnectException("finishConnect(..) failed with error(-111): Connection refused: /127.0.0.1:9"),
                PEER);
        assertThat(failure.kind()).isEqualTo(ConnectFailure.Kind.REFUSED);
        assertThat(failure.errno()).isEqualTo(Errno.ECONNREFUSED);
        assertThat(failure.text()).isEqualTo("connecting to /127.0.0.1:9: connection refused");
        assertThat(SocketErrors.listenFailure(new BindException("bind(..) failed with error(-98): In use"), PEER))
                .hasMessage("EADDRINUSE: listening at /127.0.0.1:9: address in use");
        assertThat(SocketErrors.bindFailure(new BindException("bind(..) failed with error(-98): In use"), PEER))
                .hasMessage("EADDRINUSE: UDP port 9 at 127.0.0.1: address in use: take another "
                        + "local address, or another port on both sides");
    }

    @Test
    void whatHasNoNumberOfOursKeepsItsWords() {
        ConnectFailure failure = SocketErrors.connectFailure(new IOException("Too many open files"), PEER);
        assertThat(failure.errno()).isEqualTo(Errno.EINVAL);
        assertThat(failure.text()).isEqualTo("connecting to /127.0.0.1:9: Too many open files");
    }
}
