package io.jrdma.testkit.sim;

import java.util.function.Predicate;

/**
 * Decides what becomes of single datagrams, before chance does: {@code network().datagrams().rule(nth(3, packet -> packet.opcode() ==
 * IbOpcode.RDMA_WRITE_LAST, DatagramFate.DROP))}.
 */
@FunctionalInterface
public interface DatagramRule {
    /** The fate of a datagram that is being sent. Called once for each, in the order of sending. */
    DatagramFate fate(Datagram datagram);

    /** That fate for the one of that number among those that match, from 1, whatever their direction; the others fare as usual. */
    static DatagramRule nth(int number, Predicate<Datagram> match, DatagramFate fate) {
        int[] seen = new int[1];
        return datagram -> match.test(datagram) && ++seen[0] == number ? fate : DatagramFate.ORDINARY;
    }

    /** That fate for all that match. */
    static DatagramRule all(Predicate<Datagram> match, DatagramFate fate) {
        return datagram -> match.test(datagram) ? fate : DatagramFate.ORDINARY;
    }

    /** This one, and for datagrams that it leaves alone the other; both see every datagram, so that both can count. */
    default DatagramRule and(DatagramRule other) {
        return datagram -> {
            DatagramFate first = fate(datagram);
            DatagramFate second = other.fate(datagram);
            return first.kind() == DatagramFate.Kind.ORDINARY ? second : first;
        };
    }
}
