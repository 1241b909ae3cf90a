package io.jrdma.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.ProtectionDomain;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every call in every state in which an application can hold an id: done, harmless, or EINVAL with nothing changed, as the table says. */
class RdmaCmIdStateTest {
    /** ADDRESS_QUERY and ROUTE_QUERY are over before the call that begins them returns. */
    private static final List<RdmaCmState> REACHED = List.of(
            RdmaCmState.IDLE,
            RdmaCmState.ADDRESS_BOUND,
            RdmaCmState.ADDRESS_RESOLVED,
            RdmaCmState.ROUTE_RESOLVED,
            RdmaCmState.LISTEN,
            RdmaCmState.REQUEST_RECEIVED,
            RdmaCmState.CONNECTING,
            RdmaCmState.ACCEPTING,
            RdmaCmState.ESTABLISHED,
            RdmaCmState.DISCONNECTING,
            RdmaCmState.CLOSED,
            RdmaCmState.DESTROYED);

    static Stream<Arguments> pairs() {
        List<Arguments> pairs = new ArrayList<>();
        for (RdmaCmState state : REACHED) {
            for (CmInput input : CmInput.values()) {
                if (input.isCall()) {
                    pairs.add(arguments(state, input));
                }
            }
        }
        return pairs.stream();
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void callDoesWhatTheTableSays(RdmaCmState state, CmInput call) {
        try (CmPair pair = new CmPair()) {
            RdmaCmId id = idIn(state, pair);
            assertThat(id.state()).isEqualTo(state);
            VerbsException byTheTable =
                    catchThrowableOfType(VerbsException.class, () -> CmTransitions.next(state, call));
            VerbsException thrown = catchThrowableOfType(VerbsException.class, () -> make(call, id, pair));
            if (byTheTable == null) {
                assertThat(thrown).isNull();
                RdmaCmState next = CmTransitions.next(state, call);
                // resolving is over at once
                RdmaCmState settled = switch (next) {
                    case null -> state;
                    case ADDRESS_QUERY -> RdmaCmState.ADDRESS_RESOLVED;
                    case ROUTE_QUERY -> RdmaCmState.ROUTE_RESOLVED;
                    default -> next;
                };
                assertThat(id.state()).isEqualTo(settled);
            } else {
                assertThat(thrown).hasMessage(byTheTable.getMessage());
                assertThat(thrown.errno()).isEqualTo(Errno.EINVAL);
                assertThat(thrown).hasMessageContaining(state.name()).hasMessageContaining(call.text());
                assertThat(id.state()).isEqualTo(state);
            }
        }
    }

    private static RdmaCmId idIn(RdmaCmState state, CmPair pair) {
        switch (state) {
            case IDLE -> {
                return pair.client.createId(Transport.IWARP);
            }
            case ADDRESS_BOUND -> {
                RdmaCmId id = pair.client.createId(Transport.IWARP);
                id.bind(CmPair.address("127.0.0.1", 0));
                return id;
            }
            case ADDRESS_RESOLVED -> {
                RdmaCmId id = pair.client.createId(Transport.IWARP);
                id.resolveAddress(null, CmPair.SERVER, CmPair.LONG);
                return id;
            }
            case ROUTE_RESOLVED -> {
                return pair.routed(CmPair.SERVER);
            }
            case DESTROYED -> {
                RdmaCmId id = pair.client.createId(Transport.IWARP);
                id.close();
                return id;
            }
            default -> {}
        }
        RdmaCmId listening = pair.listen();
        if (state == RdmaCmState.LISTEN) {
            return listening;
        }
        if (state == RdmaCmState.ESTABLISHED || state == RdmaCmState.DISCONNECTING) {
            RdmaCmId id = pair.connected().active();
            if (state == RdmaCmState.DISCONNECTING) {
                id.disconnect();
            }
            return id;
        }
        RdmaCmId active = pair.connecting(CmPair.SERVER, ConnectionParameters.RECOMMENDED);
        if (state == RdmaCmState.CONNECTING) {
            return active;
        }
        RdmaCmId passive = pair.request().id();
        switch (state) {
            case ACCEPTING -> {
                CmPair.queuePair(passive);
                passive.accept(ConnectionParameters.RECOMMENDED);
            }
            case CLOSED -> passive.reject(new byte[0]);
            default -> {}
        }
        return passive;
    }

    private static void make(CmInput call, RdmaCmId id, CmPair pair) {
        switch (call) {
            case BIND -> id.bind(CmPair.address("127.0.0.1", 0));
            case LISTEN -> id.listen(1);
            case RESOLVE_ADDRESS -> id.resolveAddress(null, CmPair.SERVER, CmPair.LONG);
            case RESOLVE_ROUTE -> id.resolveRoute(CmPair.LONG);
            case CREATE_QUEUE_PAIR -> createQueuePair(id, pair);
            case CONNECT -> {
                if (id.state() == RdmaCmState.ROUTE_RESOLVED) {
                    CmPair.queuePair(id);
                }
                id.connect(ConnectionParameters.RECOMMENDED);
            }
            case ACCEPT -> {
                if (id.state() == RdmaCmState.REQUEST_RECEIVED) {
                    CmPair.queuePair(id);
                }
                id.accept(ConnectionParameters.RECOMMENDED);
            }
            case REJECT -> id.reject(new byte[0]);
            case DISCONNECT -> id.disconnect();
            case CLOSE -> id.close();
            default -> throw new AssertionError(call);
        }
    }

    private static void createQueuePair(RdmaCmId id, CmPair pair) {
        RdmaCmId withDevice = id.device() == null ? idIn(RdmaCmState.ADDRESS_BOUND, pair) : id;
        // in IDLE the state allows it, but there is no device yet: another kind of EINVAL, see RdmaCmIdTest
        RdmaCmId target = id.state() == RdmaCmState.IDLE ? withDevice : id;
        try (ProtectionDomain domain = CmPair.deviceOf(withDevice).allocateProtectionDomain()) {
            target.createQueuePair(
                    domain, QueuePairOptions.rc(CmPair.deviceOf(withDevice).createCompletionQueue(4)));
        }
    }
}
