package io.jrdma.verbs.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.WrOpcode;
import java.util.ArrayDeque;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** The three rings against plain queues: wrap-around, sizes that are no power of two, size 0. Positive steps add, others take. */
class RingProperties {
    @Property
    void sendQueueIsAQueue(
            @ForAll @IntRange(min = 0, max = 13) int capacity,
            @ForAll @Size(max = 200) List<@IntRange(min = -3, max = 3) Integer> steps) {
        SendQueue queue = new SendQueue(capacity, 3, 0);
        ArrayDeque<Long> model = new ArrayDeque<>();
        long next = 0;
        for (int step : steps) {
            assertThat(queue.hasRoom()).isEqualTo(model.size() < capacity);
            if (step > 0 && queue.hasRoom()) {
                SendWr request = new SendWr()
                        .id(next * 31)
                        .opcode(WrOpcode.ofCode((int) (next % 10)))
                        .flags((int) next % 8)
                        .remote(next + 5, (int) next + 6)
                        .immediate((int) next + 7)
                        .atomic(next + 8, next + 9);
                for (int i = 0; i < step; i++) {
                    request.addSge(next * 100 + i, i + 1, (int) next + i);
                }
                queue.offer(request, false);
                model.add(next++);
            } else if (step <= 0 && !model.isEmpty()) {
                queue.retire();
                model.poll();
            }
            assertThat(queue.posted()).isEqualTo(next);
            assertThat(queue.head()).isEqualTo(next - model.size());
            for (long sequence : model) {
                assertThat(queue.isOutstanding(sequence)).isTrue();
                assertThat(queue.isDone(sequence)).isFalse();
                assertThat(queue.id(sequence)).isEqualTo(sequence * 31);
                assertThat(queue.opcode(sequence)).isEqualTo(WrOpcode.ofCode((int) (sequence % 10)));
                assertThat(queue.flags(sequence)).isEqualTo((int) sequence % 8);
                assertThat(queue.remoteAddress(sequence)).isEqualTo(sequence + 5);
                assertThat(queue.remoteKey(sequence)).isEqualTo((int) sequence + 6);
                assertThat(queue.immediateOrKey(sequence)).isEqualTo((int) sequence + 7);
                assertThat(queue.compareAdd(sequence)).isEqualTo(sequence + 8);
                assertThat(queue.swap(sequence)).isEqualTo(sequence + 9);
                int sges = queue.sgeCount(sequence);
                assertThat(queue.length(sequence)).isEqualTo(sges * (sges + 1L) / 2);
                for (int i = 0; i < sges; i++) {
                    assertThat(queue.sgeAddress(sequence, i)).isEqualTo(sequence * 100 + i);
                    assertThat(queue.sgeLength(sequence, i)).isEqualTo(i + 1);
                    assertThat(queue.sgeKey(sequence, i)).isEqualTo((int) sequence + i);
                }
            }
            assertThat(queue.isOutstanding(queue.head() - 1)).isFalse();
            assertThat(queue.isOutstanding(queue.posted())).isFalse();
        }
    }

    @Property
    void receiveQueueIsAQueue(
            @ForAll @IntRange(min = 0, max = 13) int capacity,
            @ForAll @Size(max = 200) List<@IntRange(min = -3, max = 3) Integer> steps) {
        ReceiveQueue queue = new ReceiveQueue(capacity, 3);
        ArrayDeque<Long> model = new ArrayDeque<>();
        long next = 0;
        for (int step : steps) {
            assertThat(queue.hasRoom()).isEqualTo(model.size() < capacity);
            if (step > 0 && queue.hasRoom()) {
                RecvWr request = new RecvWr().id(next * 31);
                for (int i = 0; i < step; i++) {
                    request.addSge(next * 100 + i, i + 1, (int) next + i);
                }
                queue.offer(request);
                model.add(next++);
            } else if (step <= 0 && !model.isEmpty()) {
                queue.retire();
                model.poll();
            }
            assertThat(queue.posted()).isEqualTo(next);
            assertThat(queue.head()).isEqualTo(next - model.size());
            for (long sequence : model) {
                assertThat(queue.id(sequence)).isEqualTo(sequence * 31);
                int sges = queue.sgeCount(sequence);
                assertThat(queue.length(sequence)).isEqualTo(sges * (sges + 1L) / 2);
                for (int i = 0; i < sges; i++) {
                    assertThat(queue.sgeAddress(sequence, i)).isEqualTo(sequence * 100 + i);
                    assertThat(queue.sgeLength(sequence, i)).isEqualTo(i + 1);
                    assertThat(queue.sgeKey(sequence, i)).isEqualTo((int) sequence + i);
                }
            }
        }
    }

    @Property
    void completionRingIsAQueue(
            @ForAll @IntRange(min = 1, max = 13) int capacity,
            @ForAll @Size(max = 200) List<@IntRange(min = -5, max = 3) Integer> steps) {
        CompletionRing ring = new CompletionRing(capacity);
        assertThat(ring.capacity()).isGreaterThanOrEqualTo(capacity);
        ArrayDeque<Integer> model = new ArrayDeque<>();
        WorkCompletion[] holders = new WorkCompletion[7];
        for (int i = 0; i < holders.length; i++) {
            holders[i] = new WorkCompletion();
        }
        int next = 0;
        for (int step : steps) {
            for (int i = 0; i < step; i++) {
                boolean taken = ring.push(
                        next * 7L,
                        WcStatus.ofCode(next % 22),
                        next % 2 == 0 ? WcOpcode.RECV : WcOpcode.RDMA_READ,
                        next,
                        next * 3L,
                        next + 1,
                        next + 2,
                        next + 3,
                        next + 4);
                assertThat(taken).isEqualTo(model.size() < ring.capacity());
                if (taken) {
                    model.add(next);
                }
                next++;
            }
            if (step <= 0) {
                int drained = ring.drain(holders, 1, -step);
                assertThat(drained).isEqualTo(Math.min(-step, model.size()));
                for (int i = 1; i <= drained; i++) {
                    int expected = model.remove();
                    assertThat(holders[i].id()).isEqualTo(expected * 7L);
                    assertThat(holders[i].status()).isEqualTo(WcStatus.ofCode(expected % 22));
                    assertThat(holders[i].opcode()).isEqualTo(expected % 2 == 0 ? WcOpcode.RECV : WcOpcode.RDMA_READ);
                    assertThat(holders[i].vendorError()).isEqualTo(expected);
                    assertThat(holders[i].byteLength()).isEqualTo(expected * 3L);
                    assertThat(holders[i].immediate()).isEqualTo(expected + 1);
                    assertThat(holders[i].qpNum()).isEqualTo(expected + 2);
                    assertThat(holders[i].sourceQp()).isEqualTo(expected + 3);
                    assertThat(holders[i].flags()).isEqualTo(expected + 4);
                }
            }
            assertThat(ring.isEmpty()).isEqualTo(model.isEmpty());
        }
    }
}
