package io.jrdma.interop.peer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The C rping in a guest, judged by what it prints. Its exit code says little by itself: a client whose server leaves early
 * ends with 0, and in rdma-core 44 a process that has done everything may end with 255, because one of its threads still
 * reads the event channel that the other has just closed.
 */
final class CRping {
    private static final String CLIENT_LINE = "ping data: rdma-ping-";
    private static final String SERVER_LINE = "server ping data: rdma-ping-";

    private CRping() {}

    /** A script that runs a client; {@link #checkPings} judges it. */
    static String client(String arguments) {
        return script("rping -c -v -V " + arguments, CLIENT_LINE);
    }

    /** A script that runs a server for one connection; {@link #checkPings} judges it. */
    static String server(String arguments) {
        return script("rping -s -v -V " + arguments, SERVER_LINE);
    }

    /**
     * A script that runs one client after another until one fails, each with a limit of 20 s; {@link #checkPings} judges it.
     */
    static String clients(int count, String arguments) {
        return """
                rm -f /tmp/rping.out
                i=0
                while [ $i -lt %d ]; do
                    timeout -k 2 20 rping -c -v -V %s >/tmp/rping.one 2>&1
                    code=$?
                    %s
                    [ $code = 0 ] || { echo "client $i of %1$d ended with $code:"; cat /tmp/rping.one; exit $code; }
                    cat /tmp/rping.one >>/tmp/rping.out
                    i=$((i + 1))
                done
                echo "pings: $(grep -c '^%s' /tmp/rping.out)"
                rm /tmp/rping.out /tmp/rping.one
                """.formatted(count, arguments, forgiveRace("/tmp/rping.one"), CLIENT_LINE);
    }

    /** Throws unless the tool ended well and printed the data of so many pings. */
    static void checkPings(Outcome outcome, int pings) {
        assertThat(outcome.orFail().output()).contains("pings: " + pings + "\n");
    }

    /** How many pings a server that still runs has printed; for scripts other than the ones made here. */
    static long serverPings(String output) {
        return output.lines().filter(line -> line.startsWith(SERVER_LINE)).count();
    }

    private static String script(String command, String line) {
        return """
                %s >/tmp/rping.out 2>&1
                code=$?
                %s
                echo "pings: $(grep -c '^%s' /tmp/rping.out)"
                grep -v '^%3$s' /tmp/rping.out
                rm /tmp/rping.out
                exit $code
                """.formatted(command, forgiveRace("/tmp/rping.out"), line);
    }

    private static String forgiveRace(String output) {
        return "if [ $code = 255 ] && grep -q '^rdma_get_cm_event: Bad file descriptor' " + output
                + "; then code=0; fi";
    }
}
