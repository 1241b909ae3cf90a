package io.jrdma.cm.fake;

import io.jrdma.verbs.spi.DeviceContext;
import io.jrdma.verbs.spi.Engine;
import io.jrdma.verbs.spi.ManagementListener;
import io.jrdma.verbs.spi.ManagementPort;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.function.Supplier;

/** The management queue pair of a RoCE device on a {@link FakeNetwork}. Loop only. */
final class FakeManagementPort implements ManagementPort {
    private final FakeDriver driver;
    private final DeviceContext device;
    private ManagementListener listener;
    private long deadlineNs = Engine.NO_DEADLINE;
    private long armed;

    FakeManagementPort(FakeDriver driver, DeviceContext device) {
        this.driver = driver;
        this.device = device;
    }

    ManagementListener listener() {
        return listener;
    }

    @Override
    public DeviceContext device() {
        return device;
    }

    @Override
    public InetAddress localAddress() {
        return driver.localAddress();
    }

    @Override
    public int pathMtu() {
        return 1024;
    }

    @Override
    public ManagementListener attach(Supplier<ManagementListener> first) {
        if (listener == null) {
            listener = first.get();
        }
        return listener;
    }

    @Override
    public void send(InetAddress to, byte[] mad) {
        byte[] copy = mad.clone();
        driver.network().toRoce(to, peer -> peer.management().receive(driver.localAddress(), copy));
    }

    private void receive(InetAddress from, byte[] mad) {
        if (listener != null) {
            listener.onDatagram(from, MemorySegment.ofArray(mad), 0, mad.length, driver.nowNs());
        }
    }

    @Override
    public void watch(int qpNum, long nowNs) {}

    @Override
    public void deadline(long newDeadlineNs) {
        deadlineNs = newDeadlineNs;
        long mine = ++armed;
        if (newDeadlineNs != Engine.NO_DEADLINE) {
            driver.network().schedule(driver, Math.max(0, newDeadlineNs - driver.nowNs()), () -> onDeadline(mine));
        }
    }

    private void onDeadline(long mine) {
        if (mine == armed && deadlineNs != Engine.NO_DEADLINE) {
            deadlineNs = Engine.NO_DEADLINE;
            listener.onTimeout(driver.nowNs());
        }
    }

    void close() {
        armed++;
        if (listener != null) {
            listener.onClosed(driver.nowNs());
        }
    }
}
