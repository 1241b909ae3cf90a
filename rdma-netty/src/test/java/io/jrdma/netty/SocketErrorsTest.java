package io.jrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.spi.ConnectFailure;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
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
        assertThat(failure.text()).isEqualTo("connecting to 127.0.0.1:9: connection refused");
        assertThat(SocketErrors.listenFailure(new BindException("bind(..) failed with error(-98): In use"), PEER))
                .hasMessage("EADDRINUSE: listening at 127.0.0.1:9: address in use");
        assertThat(SocketErrors.bindFailure(new BindException("bind(..) failed with error(-98): In use"), PEER))
                .hasMessage("EADDRINUSE: UDP port 9 at 127.0.0.1: address in use: take another "
                        + "local address, or another port on both sides");
    }

    @Test
    void whatHasNoNumberOfOursKeepsItsWords() {
        ConnectFailure failure = SocketErrors.connectFailure(new IOException("Too many open files"), PEER);
        assertThat(failure.errno()).isEqualTo(Errno.EINVAL);
        assertThat(failure.text()).isEqualTo("connecting to 127.0.0.1:9: Too many open files");
    }

    @Test
    void addressesStandInTextsAsPeopleWriteThem() throws Exception {
        assertThat(Addresses.text(InetAddress.getByAddress("localhost", new byte[] {127, 0, 0, 1})))
                .isEqualTo("127.0.0.1");
        assertThat(Addresses.text(InetAddress.getByName("fe80::1%7"))).isEqualTo("fe80::1%7");
        assertThat(Addresses.text(PEER)).isEqualTo("127.0.0.1:9");
        assertThat(Addresses.text(new InetSocketAddress("::1", 7174))).isEqualTo("[::1]:7174");
        assertThat(Addresses.text(InetSocketAddress.createUnresolved("nowhere", 9)))
                .isEqualTo("nowhere:9");
    }
}
