package io.jrdma.verbs;

import io.jrdma.verbs.fake.FakeDriver;
import io.jrdma.verbs.fake.FakeDriverProvider;
import io.jrdma.verbs.fake.FakeQueuePairEngine;
import io.jrdma.verbs.queue.QueuePairCore;
import java.net.InetAddress;

/** A whole device on a fake driver and a fake transport. */
final class DeviceFixture {
    final FakeDriver driver;
    final RdmaDevice device;

    DeviceFixture(FakeDriver driver) {
        this.driver = driver;
        this.device = RdmaDevice.open(
                Transport.IWARP,
                InetAddress.getLoopbackAddress(),
                DeviceOptions.DEFAULT.withDriver(new FakeDriverProvider(driver)));
    }

    /** The test is the loop. */
    static DeviceFixture byHand() {
        return new DeviceFixture(FakeDriver.byHand());
    }

    static DeviceFixture threaded() {
        return new DeviceFixture(FakeDriver.threaded());
    }

    QueuePair ready(CompletionQueue queue) {
        return ready(device.allocateProtectionDomain(), queue);
    }

    QueuePair ready(ProtectionDomain domain, CompletionQueue queue) {
        QueuePair queuePair = domain.createQueuePair(QueuePairOptions.rc(queue).withDepths(100, 100));
        queuePair.modify(QpAttributes.state(QpState.INIT));
        queuePair.modify(QpAttributes.state(QpState.RTS));
        return queuePair;
    }

    FakeQueuePairEngine engine(int index) {
        return driver.engine().queuePairs.get(index);
    }

    /** What the transport would do with everything that is posted. */
    static void completeAll(QueuePairCore core) {
        for (long s = core.sendQueue().head(); s < core.sendQueue().posted(); s++) {
            core.completeSend(s, WcStatus.SUCCESS, 0, 0);
        }
        while (core.receiveQueue().head() < core.receiveQueue().posted()) {
            core.completeReceive(WcStatus.SUCCESS, WcOpcode.RECV, 0, 0, 0, 0, false);
        }
    }

    static WorkCompletion[] holders(int count) {
        WorkCompletion[] holders = new WorkCompletion[count];
        for (int i = 0; i < count; i++) {
            holders[i] = new WorkCompletion();
        }
        return holders;
    }
}
