package io.jrdma.tools;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {
    @Test
    void versionIsANumberThatTheBuildGave() {
        Running.Ended ended = Running.run("--version");
        assertThat(ended.exitCode()).isZero();
        assertThat(ended.out()).matches("jrdma \\d+\\.\\d+\\S*\\R");
        assertThat(ended.err()).isEmpty();
    }

    @Test
    void helpNamesTheCommandsAndTheExitCodes() {
        Running.Ended ended = Running.run("--help");
        assertThat(ended.exitCode()).isZero();
        assertThat(ended.out())
                .contains("demo", "rping", "ucmatose", "devinfo")
                .containsSubsequence("0", "done", "1", "the work failed", "2", "wrong usage", "3", "could not connect")
                .doesNotContain("demo-peer");
    }

    @ParameterizedTest
    @ValueSource(strings = {"demo", "rping", "ucmatose", "devinfo", "rdma-client", "rdma-server", "rc-pingpong"})
    void everyCommandExplainsItself(String command) {
        Running.Ended ended = Running.run(command, "--help");
        assertThat(ended.exitCode()).isZero();
        assertThat(ended.out())
                .startsWith("Usage: jrdma " + command)
                .contains("--debug")
                .contains("Exit codes:");
    }

    @Test
    void helpIsACommandToo() {
        Running.Ended ended = Running.run("help");
        assertThat(ended.exitCode()).isZero();
        assertThat(ended.out())
                .isEqualTo(Running.run("--help").out())
                .contains("help")
                .doesNotContain("demo-peer");
        assertThat(ended.err()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"demo", "rping", "ucmatose", "devinfo", "rdma-client", "rdma-server", "rc-pingpong"})
    void helpExplainsACommand(String command) {
        Running.Ended ended = Running.run("help", command);
        assertThat(ended.exitCode()).isZero();
        assertThat(ended.out()).isEqualTo(Running.run(command, "--help").out());
        assertThat(ended.err()).isEmpty();
    }

    @Test
    void noCommandIsWrongUsage() {
        Running.Ended ended = Running.run();
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.err())
                .contains("which command?", "rping", "Try 'jrdma --help'.")
                .doesNotContain("demo-peer");
        assertThat(ended.out()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "rpingg                                   | 'rpingg'",
                "help rpingg                              | 'rpingg'",
                "rping                                    | -s",
                "rping -s -c -a 127.0.0.1                 | mutually exclusive",
                "rping -c                                 | -a ADDR",
                "rping -c -a 127.0.0.1 -x                 | '-x'",
                "rping -c -a 127.0.0.1 -p                 | PORT",
                "rping -c -a 127.0.0.1 -p x               | -p x is not a whole number of 0..65535",
                "rping -c -a 127.0.0.1 -p 65536           | -p 65536 is outside 0..65535",
                "rping -c -a 127.0.0.1 -p 0               | -p 0 is outside 1..65535",
                "rping -c -a 127.0.0.1 -S 15              | -S 15 is outside 16..65535",
                "rping -c -a 127.0.0.1 -S 65536           | -S 65536 is outside 16..65535",
                "rping -c -a 127.0.0.1 -C -1              | -C -1 is outside 0..",
                "rping -c -a 127.0.0.1 --connections 0    | --connections 0 is outside 1..",
                "rping -c -a 127.0.0.1 --timeout 0        | --timeout 0 is outside 1..",
                "rping -c -a 127.0.0.1 -P                 | -P is for the server",
                "rping -s --bind 127.0.0.1 -a 127.0.0.1   | -a and --bind are the same for a server",
                "rping -s --connections 2                 | --connections is for the client",
                "rping -c -a no.such.host.invalid         | -a no.such.host.invalid: no such host",
                "rping -c -a 127.0.0.1 --bind nowhere.invalid | --bind nowhere.invalid: no such host",
                "rping -c -a 127.0.0.1 --transport tcp    | --transport tcp: allowed are iwarp and roce",
                "rping -c -a 127.0.0.1 --transport roce --roce-port 0      | --roce-port 0 is outside 1..65535",
                "rping -c -a 127.0.0.1 --mpa-revision 3   | --mpa-revision 3 is outside 0..2",
                "rping -c -a 127.0.0.1 --mpa-revision 1 --peer-to-peer | needs MPA revision 2, not 1",
                "rping -c -a 127.0.0.1 -p 99999999999     | -p 99999999999 is not a whole number of 0..65535",
                "rdma-client -p 65536                     | -p 65536 is outside 0..65535",
                "rdma-client --timeout 0                  | --timeout 0 is outside 1..1000000",
                "rping -s --transport roce --mpa-revision 1 | --mpa-revision is for --transport iwarp alone",
                "rping -s --roce-port 4792                | --roce-port is for --transport roce alone",
                "rdma-client --transport roce --no-crc    | --crc is for --transport iwarp alone",
                "ucmatose --transport roce --first-message-grace 1 | and does not go together with --transport roce",
                "ucmatose -C -1                           | -C -1 is outside 0..",
                "ucmatose -s 127.0.0.1 -p 0               | -p 0 is outside 1..65535",
                "devinfo -d nothing                       | -d nothing: no such device",
                "demo --lines                             | '--lines'",
            })
    void wrongUsageIsNamedAndExitsWithTwo(String line, String named) {
        Running.Ended ended = Running.run(line.split(" +"));
        assertThat(ended.exitCode()).as(ended.err()).isEqualTo(2);
        assertThat(ended.err()).contains(named, "Try 'jrdma").doesNotContain("\tat ");
        assertThat(ended.out()).isEmpty();
    }

    /** An unset variable of a script, say; Java takes it for this host. */
    @Test
    void emptyAddressIsWrongUsage() {
        Running.Ended ended = Running.run("rping", "-c", "-a", "", "-C", "1");
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.err()).contains("-a is empty; allowed are");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-d", "--debug"})
    void debugShowsTheStackTrace(String flag) {
        Running.Ended ended = Running.run("rping", flag, "-c", "-a", "127.0.0.1", "-S", "1");
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.err()).contains("-S 1 is outside", "\tat io.jrdma.tools.");
    }
}
