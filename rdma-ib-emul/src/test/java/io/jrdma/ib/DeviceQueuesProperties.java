package io.jrdma.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.spi.Engine;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** The device's own queues against plain collections. */
class DeviceQueuesProperties {
    private static final class Endpoint extends IbEndpoint {
        Endpoint(int qpNum) {
            super(qpNum);
        }

        @Override
        void onPacket(
                int pathId, MemorySegment segment, long at, int length, int opcode, int trafficClass, long nowNs) {}

        @Override
        void onTimeout(long nowNs) {}

        @Override
        boolean transmit(TrainWriter writer, long nowNs) {
            return false;
        }

        @Override
        long nextDeadlineNs() {
            return Engine.NO_DEADLINE;
        }

        @Override
        void onClosed(long nowNs) {}
    }

    private static List<Endpoint> endpoints(int count) {
        List<Endpoint> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            // many of them meet in the table
            all.add(new Endpoint(i * 0x1_0000 & 0xFF_FFFF | i));
        }
        return all;
    }

    @Property
    void theTableFindsWhatIsInIt(@ForAll @Size(max = 200) List<@IntRange(min = 0, max = 39) Integer> steps) {
        List<Endpoint> all = endpoints(40);
        EndpointTable table = new EndpointTable();
        Map<Integer, IbEndpoint> model = new HashMap<>();
        for (int step : steps) {
            Endpoint endpoint = all.get(step);
            if (model.remove(endpoint.qpNum) == null) {
                model.put(endpoint.qpNum, endpoint);
                table.add(endpoint);
            } else {
                table.remove(endpoint);
                table.remove(endpoint);
            }
            assertThat(table.size()).isEqualTo(model.size());
            for (Endpoint one : all) {
                assertThat(table.find(one.qpNum)).isSameAs(model.get(one.qpNum));
            }
        }
    }

    @Property
    void theHeapKnowsTheEarliest(@ForAll @Size(max = 200) List<@IntRange(min = 0, max = 4095) Integer> steps) {
        List<Endpoint> all = endpoints(16);
        DeadlineHeap heap = new DeadlineHeap();
        heap.reserve(16);
        for (int step : steps) {
            long time = step >> 4;
            // times around the end of the range of numbers: only differences count
            heap.update(all.get(step & 15), time == 0 ? Engine.NO_DEADLINE : Long.MAX_VALUE - 100 + time);
            long earliest = all.stream()
                    .filter(endpoint -> endpoint.heapIndex >= 0)
                    .map(endpoint -> endpoint.deadlineNs)
                    .min(Comparator.comparingLong(at -> at - (Long.MAX_VALUE - 100)))
                    .orElse(Engine.NO_DEADLINE);
            assertThat(heap.earliestNs()).isEqualTo(earliest);
        }
    }

    @Property
    void turnsAreTakenInOrder(@ForAll @Size(max = 200) List<@IntRange(min = 0, max = 15) Integer> steps) {
        List<Endpoint> all = endpoints(8);
        ReadyQueue queue = new ReadyQueue();
        List<IbEndpoint> model = new ArrayList<>();
        for (int step : steps) {
            Endpoint endpoint = all.get(step & 7);
            if (step >= 8) {
                queue.remove(endpoint);
                model.remove(endpoint);
            } else {
                queue.add(endpoint);
                if (!model.contains(endpoint)) {
                    model.add(endpoint);
                }
            }
            List<IbEndpoint> seen = new ArrayList<>();
            for (IbEndpoint at = queue.first(); at != null; at = at.nextReady) {
                seen.add(at);
            }
            assertThat(seen).isEqualTo(model);
        }
    }
}
