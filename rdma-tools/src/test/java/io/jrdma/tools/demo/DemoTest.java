package io.jrdma.tools.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.tools.Running;
import org.junit.jupiter.api.Test;

class DemoTest {
    @Test
    void everyOperationIsDoneAndRight() {
        Running.Ended ended = Running.run("demo", "--debug");
        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(ended.out())
                .contains("Send, inline", "Send, scatter/gather", "Send with solicited event", "Send with invalidate")
                .contains("RDMA Write", "RDMA Write, list of 16", "RDMA Read", "local invalidate")
                .contains("Read, wrong key", "Read, invalidated key", "Send, invalidated key")
                .contains("connect with private data", "reject with private data", "disconnect")
                .contains("iwarp 127.0.0.1", "roce 127.0.0.1")
                .doesNotContain("FAILED");
        assertThat(ended.out().lines().toList().getLast()).matches("all \\d+ operations ok");
        long child = Long.parseLong(ended.err().replaceFirst("(?s).*the second process is (\\d+).*", "$1"));
        assertThat(ProcessHandle.of(child)).as("the second process").isEmpty();
    }

    @Test
    void resultsAsJson() {
        Running.Ended ended = Running.run("demo", "--json");
        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(ended.out())
                .startsWith("[")
                .contains("\"operation\": \"RDMA Read\"", "\"bytes\": 1048576", "\"ok\": true", "\"microseconds\": ")
                .doesNotContain("\"ok\": false");
    }
}
