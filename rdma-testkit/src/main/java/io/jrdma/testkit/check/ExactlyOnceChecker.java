package io.jrdma.testkit.check;

import io.jrdma.verbs.WorkCompletion;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Every work request has one completion, in the order of posting: sends and receives of a queue pair each by themselves. An unsignaled send
 * that succeeds has none, and is over when a later one completes.
 */
public final class ExactlyOnceChecker {
    private record Posted(long id, boolean signaled) {}

    private final Map<String, ArrayDeque<Posted>> outstanding = new LinkedHashMap<>();
    private long completions;

    /** Nothing is outstanding. */
    public ExactlyOnceChecker() {}

    private ArrayDeque<Posted> queue(String device, int qpNum, boolean receive) {
        return outstanding.computeIfAbsent(
                device + (receive ? " receives of 0x" : " sends of 0x") + Integer.toHexString(qpNum),
                key -> new ArrayDeque<>());
    }

    /**
     * A send was posted.
     *
     * @param device a name for the device, as queue pair numbers are its own
     * @param signaled whether it completes on success too
     */
    public void postedSend(String device, int qpNum, long id, boolean signaled) {
        queue(device, qpNum, false).add(new Posted(id, signaled));
    }

    /** A receive was posted. */
    public void postedReceive(String device, int qpNum, long id) {
        queue(device, qpNum, true).add(new Posted(id, true));
    }

    /** A completion was polled from a queue of the device. */
    public void completed(String device, WorkCompletion completion) {
        boolean receive = completion.opcode().isReceive();
        ArrayDeque<Posted> queue = queue(device, completion.qpNum(), receive);
        completions++;
        Posted first = queue.poll();
        while (first != null && first.id != completion.id() && !first.signaled) {
            first = queue.poll();
        }
        if (first == null) {
            throw new AssertionError(device + ": " + completion + " completes nothing that is outstanding");
        }
        if (first.id != completion.id()) {
            throw new AssertionError(device + ": " + completion + " came before the completion of " + first.id);
        }
    }

    /** Completions so far. */
    public long completions() {
        return completions;
    }

    /** Requests that must have a completion and have none yet. */
    public int waiting() {
        int count = 0;
        for (ArrayDeque<Posted> queue : outstanding.values()) {
            for (Posted posted : queue) {
                count += posted.signaled ? 1 : 0;
            }
        }
        return count;
    }

    /** Everything that must have a completion has one. */
    public void finish() {
        if (waiting() > 0) {
            throw new AssertionError("without completion: " + describe());
        }
    }

    /** What is outstanding, for messages. */
    public String describe() {
        StringBuilder text = new StringBuilder();
        outstanding.forEach((name, queue) -> {
            if (queue.stream().anyMatch(Posted::signaled)) {
                text.append(text.isEmpty() ? "" : ", ").append(name).append(' ').append(queue);
            }
        });
        return text.toString();
    }
}
