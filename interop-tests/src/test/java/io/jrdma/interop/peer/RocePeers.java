package io.jrdma.interop.peer;

import java.net.InetAddress;
import java.util.HexFormat;

/** What tests against rdma_rxe share. */
final class RocePeers {
    private RocePeers() {}

    /** The index of an address in the GID table of the guest's device. */
    static String gidIndex(KernelGuest guest, String address) {
        byte[] bytes = InetAddress.ofLiteral(address).getAddress();
        String hex = HexFormat.of().formatHex(bytes);
        String gid = (bytes.length == 4 ? "00000000000000000000ffff" + hex : hex).replaceAll("(....)(?=.)", "$1:");
        return guest.run("cd /sys/class/infiniband/rxe0/ports/1/gids && grep -l " + gid + " * 2>/dev/null | head -n 1")
                .strip();
    }

    /** Hurts packets in both directions between the guest and us: loss, and from the guest also duplication and reordering. */
    static void hurt(KernelGuest guest) {
        guest.run("""
                set -e
                tc qdisc add dev eth0 root netem loss 5% duplicate 2% delay 2ms reorder 10%
                ip link set ifb0 up
                tc qdisc add dev eth0 ingress
                tc filter add dev eth0 ingress matchall action mirred egress redirect dev ifb0
                tc qdisc add dev ifb0 root netem loss 5% duplicate 2% delay 2ms reorder 10%
                """);
    }

    /** Ends {@link #hurt}. */
    static void heal(KernelGuest guest) {
        guest.run("tc qdisc del dev eth0 root; tc qdisc del dev eth0 ingress; tc qdisc del dev ifb0 root; true");
    }
}
