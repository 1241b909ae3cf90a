package io.jrdma.testkit.sim;

/** Decides how each direction of each new connection behaves. */
@FunctionalInterface
public interface LinkRule {
    /**
     * The options of one direction.
     *
     * @param from the sending host
     * @param to the receiving host
     * @param connection the connection's number, from 0 in the order of connecting
     * @param fromActive whether the sender is the side that connected
     */
    LinkOptions options(SimHost from, SimHost to, int connection, boolean fromActive);
}
