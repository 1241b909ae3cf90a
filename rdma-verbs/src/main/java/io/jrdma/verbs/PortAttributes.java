package io.jrdma.verbs;

/**
 * Facts about a device's one port ({@code ibv_port_attr}).
 *
 * @param state whether the network interface is up
 * @param maxMtu largest path MTU in bytes that the transport knows
 * @param activeMtu path MTU in bytes that fits the interface
 * @param interfaceMtu MTU of the network interface in bytes
 * @param linkLayer always Ethernet here
 */
public record PortAttributes(State state, int maxMtu, int activeMtu, int interfaceMtu, String linkLayer) {
    /** Port state; order and codes as in {@code enum ibv_port_state}. */
    public enum State {
        NOP,
        DOWN,
        INIT,
        ARMED,
        ACTIVE
    }
}
