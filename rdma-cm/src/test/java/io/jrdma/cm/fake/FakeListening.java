package io.jrdma.cm.fake;

import io.jrdma.verbs.spi.StreamAcceptor;
import io.jrdma.verbs.spi.StreamListening;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** A listening address of a {@link FakeDriver}. */
final class FakeListening implements StreamListening {
    private final FakeDriver driver;
    private final InetSocketAddress at;
    private final StreamAcceptor acceptor;
    private final List<FakeStream> unanswered = new ArrayList<>();

    FakeListening(FakeDriver driver, InetSocketAddress at, StreamAcceptor acceptor) {
        this.driver = driver;
        this.at = at;
        this.acceptor = acceptor;
    }

    FakeDriver driver() {
        return driver;
    }

    StreamAcceptor acceptor() {
        return acceptor;
    }

    void waits(FakeStream stream) {
        unanswered.add(stream);
    }

    void answered(FakeStream stream) {
        unanswered.remove(stream);
    }

    @Override
    public InetSocketAddress localAddress() {
        return at;
    }

    @Override
    public void close() {
        driver.network().stopListening(this);
        List.copyOf(unanswered).forEach(FakeStream::abort);
    }
}
