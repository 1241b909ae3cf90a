package io.jrdma.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bursts of requests. */
class BacklogTest {
    private static Map<RdmaCmEventType, Integer> count(List<RdmaCmEvent> events) {
        Map<RdmaCmEventType, Integer> counts = new TreeMap<>();
        events.forEach(event -> counts.merge(event.type(), 1, Integer::sum));
        return counts;
    }

    /** Each client is connected or told at once that it is not; nobody waits for a time limit. */
    @ParameterizedTest
    @CsvSource({"1,1", "4,4", "64,64", "128,64", "0,64"})
    void requestsBeyondTheBacklogAreRejectedAtOnce(int backlog, int admitted) {
        try (CmPair pair = new CmPair()) {
            pair.listen(CmPair.SERVER, backlog);
            for (int i = 0; i < 64; i++) {
                pair.connecting(CmPair.SERVER, ConnectionParameters.RECOMMENDED);
            }
            List<RdmaCmEvent> requests = pair.rest(pair.server);
            assertThat(requests).hasSize(admitted);
            List<RdmaCmEvent> answers = pair.rest(pair.client);
            assertThat(answers).hasSize(64 - admitted).allMatch(event -> event instanceof RdmaCmEvent.Rejected);
            for (RdmaCmEvent request : requests) {
                CmPair.queuePair(request.id());
                request.id().accept(ConnectionParameters.RECOMMENDED);
            }
            assertThat(count(pair.rest(pair.client)))
                    .containsExactlyEntriesOf(Map.of(RdmaCmEventType.ESTABLISHED, admitted));
        }
    }

    @Test
    void answeringMakesRoom() {
        try (CmPair pair = new CmPair()) {
            pair.listen(CmPair.SERVER, 1);
            for (int i = 0; i < 10; i++) {
                RdmaCmId active = pair.connecting(CmPair.SERVER, ConnectionParameters.RECOMMENDED);
                RdmaCmId passive = pair.request().id();
                switch (i % 4) {
                    case 0 -> passive.reject(new byte[0]);
                    case 1 -> passive.close();
                    case 2 -> {
                        CmPair.queuePair(passive);
                        passive.accept(ConnectionParameters.RECOMMENDED);
                    }
                    default -> {
                        // the peer goes away, and then the application looks at the request
                        active.close();
                        pair.network.runAll();
                        passive.close();
                    }
                }
                pair.rest(pair.client);
                pair.rest(pair.server);
            }
        }
    }

    @Test
    void requestThatIsWithdrawnBeforeItIsTakenMakesRoom() {
        try (CmPair pair = new CmPair()) {
            pair.listen(CmPair.SERVER, 1);
            for (int i = 0; i < 3; i++) {
                RdmaCmId active = pair.connecting(CmPair.SERVER, ConnectionParameters.RECOMMENDED);
                pair.network.runAll();
                active.close();
                assertThat(pair.rest(pair.server)).isEmpty();
            }
            pair.connected();
        }
    }

    @Test
    void negativeBacklogIsRefused() {
        try (CmPair pair = new CmPair()) {
            RdmaCmId id = pair.server.createId(Transport.IWARP);
            assertThatThrownBy(() -> id.listen(-1))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("-1");
            assertThat(id.state()).isEqualTo(RdmaCmState.IDLE);
        }
    }

    /** Every request has an id of its own, and each is answered once. */
    @Test
    void burstOfRequestsComesAsDistinctIds() {
        try (CmPair pair = new CmPair()) {
            pair.listen(CmPair.SERVER, 0);
            for (int i = 0; i < 256; i++) {
                pair.connecting(CmPair.SERVER, ConnectionParameters.RECOMMENDED);
            }
            List<RdmaCmId> ids = new ArrayList<>();
            for (RdmaCmEvent request : pair.rest(pair.server)) {
                ids.add(request.id());
                CmPair.queuePair(request.id());
                request.id().accept(ConnectionParameters.RECOMMENDED);
            }
            assertThat(ids).hasSize(256).doesNotHaveDuplicates();
            assertThat(count(pair.rest(pair.server)))
                    .containsExactlyEntriesOf(Map.of(RdmaCmEventType.ESTABLISHED, 256));
            assertThat(count(pair.rest(pair.client)))
                    .containsExactlyEntriesOf(Map.of(RdmaCmEventType.ESTABLISHED, 256));
        }
    }

    /** More connections, one after another, than the device has queue pairs or domains. */
    @Test
    void connectionsOneAfterAnotherLeaveNothingBehind() {
        try (CmPair pair = new CmPair()) {
            pair.listen(CmPair.SERVER, 2);
            for (int round = 0; round < 2_000; round++) {
                CmPair.Connected ends = pair.connected();
                ends.active().disconnect();
                assertThat(pair.rest(pair.client)).hasSize(1);
                assertThat(pair.rest(pair.server)).hasSize(1);
                for (RdmaCmId id : List.of(ends.active(), ends.passive())) {
                    id.queuePair().protectionDomain().close();
                    id.queuePair().sendQueue().close();
                    id.close();
                }
                assertThat(pair.network.streams()).isZero();
            }
        }
    }
}
