package io.jrdma.testkit.toy;

import io.jrdma.verbs.CompletionSemantics;
import io.jrdma.verbs.DeviceAttributes;
import io.jrdma.verbs.QpType;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.verbs.spi.DeviceContext;
import io.jrdma.verbs.spi.DeviceEngine;
import io.jrdma.verbs.spi.TransportProvider;
import java.util.EnumSet;
import java.util.Set;

/** A transport on datagrams that is just enough to try the simulator on, with faults that can be planted. */
public final class ToyDatagramTransport implements TransportProvider {
    /** Faults. */
    public enum Bug {
        NONE,
        /** Executes a packet again that arrives again. */
        TAKES_DUPLICATES,
        /** Takes a packet that is not the next one for the next one. */
        TRUSTS_THE_ORDER,
        /** Sends a packet once only. */
        NEVER_REPEATS,
        THROWS_ON_INPUT,
        SENDS_AFTER_NOTHING,
        LIES_ABOUT_LENGTH,
        LEAVES_A_CLAIM_OPEN,
        SPINS_ON_A_DEADLINE,
        /** Believes that the memory of the last packet is still what it was. */
        KEEPS_BORROWED_INPUT,
        WRITES_INTO_THE_ICRC,
        /** Sends packets of another transport version. */
        SENDS_MALFORMED_PACKETS,
        CLAIMS_ODD_SEGMENTS,
        CLAIMS_TOO_MANY,
        CLAIMS_TWICE,
        COMMITS_TOO_MUCH,
        ABORTS_WITHOUT_A_CLAIM,
        UNPINS_TWICE,
        /** Answers by a path that it did not pin. */
        CLAIMS_A_STRANGERS_PATH,
        /** Answers by the number of the sender. */
        CLAIMS_A_SOURCE,
        /** Asks for the address of a sender to whom it pinned no path, after the call. */
        REMEMBERS_A_STRANGER
    }

    /** The fault of all engines made from now on. */
    public static Bug bug = Bug.NONE;

    /** For the service loader. */
    public ToyDatagramTransport() {}

    @Override
    public Transport transport() {
        return Transport.ROCE_V2;
    }

    @Override
    public DeviceAttributes attributes() {
        return new DeviceAttributes(
                Transport.ROCE_V2,
                CompletionSemantics.REMOTE_ACKNOWLEDGED,
                EnumSet.of(WrOpcode.SEND, WrOpcode.RDMA_WRITE),
                Set.of(QpType.RC),
                100,
                1000,
                4,
                1,
                64,
                100,
                10_000,
                100,
                1 << 20,
                10,
                1 << 16,
                1,
                1);
    }

    @Override
    public DeviceEngine open(DeviceContext context) {
        return new ToyDatagrams(context, bug);
    }
}
