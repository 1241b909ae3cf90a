package io.jrdma.cm.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.QpState;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

/**
 * Connections come up and end while datagrams get lost, come twice and overtake each other, and both applications do at any moment what
 * they may do. Each end has at most one outcome, an end that was up goes down once, and in the end nothing is left.
 */
class IbInterleavingProperties {
    private static void check(IbEnd end, boolean destroyed) {
        long outcomes = end.log.stream()
                .filter(line -> line.matches("(ESTABLISHED|REJECTED|UNREACHABLE|CONNECT_ERROR).*"))
                .count();
        long ups = end.log.stream().filter("ESTABLISHED"::equals).count();
        long downs =
                end.log.stream().filter(line -> line.startsWith("DISCONNECTED")).count();
        assertThat(outcomes).as("outcomes in %s", end.log).isLessThanOrEqualTo(1);
        assertThat(downs).as("ends in %s", end.log).isLessThanOrEqualTo(ups);
        if (!destroyed) {
            assertThat(outcomes).as("outcomes in %s", end.log).isEqualTo(1);
            assertThat(downs).as("ends in %s", end.log).isEqualTo(ups);
        }
        assertThat(end.state()).as("after %s", end.log).isEqualTo(IbConnectionState.CLOSED);
        assertThat(end.qpState()).isIn(QpState.INIT, QpState.ERROR);
    }

    @Property
    void everyConnectionHasOneStory(@ForAll @LongRange(max = 1L << 40) long seed) {
        IbNetwork network = new IbNetwork(seed);
        Random random = new Random(seed ^ 0x5EED);
        IbHost client = network.host("10.0.0.1", seed);
        IbHost server = network.host("10.0.0.2", seed);
        IbServer listening = new IbServer(server);
        network.faults(random.nextInt(4) * 0.1, random.nextInt(3) * 0.2, random.nextInt(2) * 20 * IbNetwork.MS);
        List<IbEnd> all = new ArrayList<>();
        List<IbEnd> destroyed = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(client.connect(server, IbServer.PORT));
        }
        int seen = 0;
        for (int i = 0; i < 60; i++) {
            network.advance(random.nextLong(2 * IbNetwork.SECOND) / (1 + random.nextInt(500)));
            for (; seen < listening.requests.size(); seen++) {
                all.add(listening.requests.get(seen));
            }
            act(random, all.get(random.nextInt(all.size())), destroyed);
        }
        // then everybody leaves, and the network is good again
        network.faults(0, 0, 0);
        network.advance(200 * IbNetwork.SECOND);
        for (; seen < listening.requests.size(); seen++) {
            all.add(listening.requests.get(seen));
        }
        for (IbEnd end : all) {
            if (end.state() == IbConnectionState.REQ_RCVD
                    || end.state() == IbConnectionState.MRA_REQ_SENT
                    || end.state() == IbConnectionState.REQ_GONE) {
                end.destroy();
                destroyed.add(end);
            }
            end.disconnect();
        }
        network.advance(200 * IbNetwork.SECOND);
        for (IbEnd end : all) {
            boolean rejectedIt = end.log.isEmpty() || end.log.equals(List.of("REQUEST_GONE"));
            check(end, destroyed.contains(end) || rejectedIt);
        }
        assertThat(server.cm().isEmpty()).as("the server remembers nothing").isTrue();
        assertThat(client.cm().isEmpty()).as("the client remembers nothing").isTrue();
    }

    private static void act(Random random, IbEnd end, List<IbEnd> destroyed) {
        switch (random.nextInt(10)) {
            case 0, 1, 2, 3, 4 -> end.accept(IbHost.offer(random.nextInt(17), random.nextInt(17)));
            case 5 -> end.connection.reject(new byte[] {1}, end.host.network.nowNs());
            case 6, 7 -> end.disconnect();
            case 8 -> {
                if (end.qpState() == QpState.RTS) {
                    end.fail();
                }
            }
            default -> {
                end.destroy();
                destroyed.add(end);
            }
        }
    }
}
