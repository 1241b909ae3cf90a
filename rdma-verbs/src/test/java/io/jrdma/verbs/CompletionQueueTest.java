package io.jrdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CompletionQueueTest {
    private final DeviceFixture fixture = DeviceFixture.byHand();
    private final RdmaDevice device = fixture.device;
    private final CompletionChannel channel = device.createCompletionChannel();
    private final CompletionQueue queue = device.createCompletionQueue(8, channel);
    private final WorkCompletion[] holders = DeviceFixture.holders(8);

    @Test
    void pollFillsTheHoldersThatItIsGiven() {
        QueuePair queuePair = fixture.ready(queue);
        for (int i = 0; i < 5; i++) {
            queuePair.postSend(new SendWr().id(i));
        }
        DeviceFixture.completeAll(queuePair.core());
        assertThat(queue.poll(holders, 2, 3)).isEqualTo(3);
        assertThat(holders[1].qpNum()).isZero();
        assertThat(holders[2].id()).isZero();
        assertThat(holders[4].id()).isEqualTo(2);
        assertThat(holders[4].qpNum()).isEqualTo(queuePair.qpNum());
        assertThat(queue.poll(holders)).isEqualTo(2);
        assertThat(holders[1].id()).isEqualTo(4);
        assertThat(queue.poll(holders)).isZero();
        assertThatThrownBy(() -> queue.poll(holders, 7, 2)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void pollOfAnEmptyQueueMakesProgressInManualMode() {
        QueuePair queuePair = fixture.ready(queue);
        fixture.engine(0).onDoorbell = () -> DeviceFixture.completeAll(queuePair.core());
        queuePair.postSend(new SendWr().id(7));
        assertThat(queue.poll(holders)).isEqualTo(1);
        assertThat(holders[0].id()).isEqualTo(7);
    }

    @Test
    void armNeedsAChannel() {
        CompletionQueue plain = device.createCompletionQueue(8);
        assertThatThrownBy(() -> plain.arm(false))
                .hasMessage("EINVAL: the completion queue was created without a completion channel");
        assertThat(plain.channel()).isNull();
        assertThat(queue.channel()).isSameAs(channel);
    }

    /** The application may do anything in a notification, so it must not run inside the transport's call. */
    @Test
    void notificationComesInATaskOfItsOwn() throws InterruptedException {
        QueuePair queuePair = fixture.ready(queue);
        List<String> order = new ArrayList<>();
        channel.onEvent(event -> {
            order.add("event");
            queuePair.close();
        });
        queue.arm(false);
        queuePair.postSend(new SendWr());
        fixture.engine(0).onDoorbell = () -> {
            DeviceFixture.completeAll(queuePair.core());
            order.add("transport");
        };
        device.progress(Duration.ZERO);
        assertThat(order).containsExactly("transport", "event");
        assertThat(fixture.engine(0).destroys).isEqualTo(1);
        assertThat(fixture.driver.failures).isEmpty();
    }

    @Test
    void overflowReportsAndFailsAllQueuePairsOfTheQueue() throws InterruptedException {
        ProtectionDomain domain = device.allocateProtectionDomain();
        QueuePair one = fixture.ready(domain, queue);
        QueuePair other = fixture.ready(domain, queue);
        QueuePair bystander = fixture.ready(domain, device.createCompletionQueue(8));
        QueuePair fresh = domain.createQueuePair(QueuePairOptions.rc(queue));
        for (int i = 0; i < 9; i++) {
            one.postSend(new SendWr().id(i));
        }
        DeviceFixture.completeAll(one.core());
        assertThat(one.state()).isEqualTo(QpState.RTS);
        AsyncEvent event = device.pollAsyncEvent(Duration.ZERO);
        assertThat(event).isNotNull();
        assertThat(event.type()).isEqualTo(AsyncEvent.Type.CQ_ERR);
        assertThat(event.completionQueue()).isEqualTo(queue.number());
        assertThat(event.text()).isEqualTo("completion queue overflowed its 8 entries");
        fixture.driver.runTasks();
        assertThat(one.state()).isEqualTo(QpState.ERROR);
        assertThat(other.state()).isEqualTo(QpState.ERROR);
        assertThat(fresh.state()).isEqualTo(QpState.ERROR);
        assertThat(bystander.state()).isEqualTo(QpState.RTS);
        assertThat(device.pollAsyncEvent(Duration.ZERO)).isNull();
        assertThat(queue.poll(holders)).isEqualTo(8);
        assertThat(fixture.driver.failures).isEmpty();
    }

    @Test
    void queueInUseIsBusy() {
        QueuePair queuePair = fixture.ready(queue);
        assertThatThrownBy(queue::close)
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY))
                .hasMessageContaining("CompletionQueue[" + queue.number() + ", capacity=8] is in use by [" + queuePair);
        assertThat(queue.poll(holders)).isZero();
        queuePair.close();
        queue.close();
        queue.close();
        assertThatThrownBy(() -> queue.poll(holders)).hasMessage("ENODEV: the completion queue is closed");
        assertThatThrownBy(() -> queue.arm(false)).hasMessage("ENODEV: the completion queue is closed");
        assertThatThrownBy(() -> fixture.ready(queue)).hasMessage("EINVAL: the completion queue is closed");
    }

    @Test
    void eventsOfAClosedQueueAreDropped() throws InterruptedException {
        QueuePair queuePair = fixture.ready(queue);
        queue.arm(false);
        queuePair.postSend(new SendWr());
        DeviceFixture.completeAll(queuePair.core());
        fixture.driver.runTasks();
        queuePair.close();
        queue.close();
        assertThat(channel.await(Duration.ZERO)).isNull();
    }
}
