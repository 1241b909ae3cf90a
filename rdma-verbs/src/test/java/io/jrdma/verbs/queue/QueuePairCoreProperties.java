package io.jrdma.verbs.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.PostException;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WcStatus;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;

/** Any order of results, any point of error: every request one completion, in order, and what the model says it is. */
class QueuePairCoreProperties {
    enum Kind {
        SEND,
        UNSIGNALED,
        RECEIVE,
        SEND_DONE,
        SEND_FAILED,
        RECEIVE_DONE,
        RUN_LOOP,
        ERROR,
        RESET
    }

    /** {@code which} picks one of the outstanding sends. */
    record Step(Kind kind, int which) {}

    private static final class Pending {
        final long id;
        final boolean signaled;
        String result = "";

        Pending(long id, boolean signaled) {
            this.id = id;
            this.signaled = signaled;
        }
    }

    /** What a queue pair has to do, in the plainest way. */
    private static final class Model {
        final ArrayDeque<Pending> sends = new ArrayDeque<>();
        final ArrayDeque<Pending> receives = new ArrayDeque<>();
        final List<String> completions = new ArrayList<>();
        boolean error;

        void retire() {
            while (!sends.isEmpty() && !sends.peek().result.isEmpty()) {
                Pending done = sends.poll();
                if (done.signaled || !done.result.equals("SUCCESS")) {
                    completions.add(done.id + ":" + done.result);
                }
            }
        }

        void flush() {
            for (Pending send : sends) {
                if (send.result.isEmpty()) {
                    send.result = "WR_FLUSH_ERR";
                }
            }
            retire();
            while (!receives.isEmpty()) {
                completions.add(receives.poll().id + ":WR_FLUSH_ERR");
            }
        }
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void everyRequestHasOneCompletionInOrder(
            @ForAll("programs") List<Step> program,
            @ForAll @IntRange(min = 0, max = 9) int sends,
            @ForAll @IntRange(min = 0, max = 9) int receives) {
        CoreFixture fixture = CoreFixture.ready(sends, receives, false);
        QueuePairCore core = fixture.core;
        Model model = new Model();
        long id = 0;
        for (Step step : program) {
            switch (step.kind) {
                case SEND, UNSIGNALED -> {
                    boolean signaled = step.kind == Kind.SEND;
                    boolean taken = tryPost(core, CoreFixture.send(id).signaled(signaled));
                    assertThat(taken).isEqualTo(model.sends.size() < sends);
                    if (taken) {
                        model.sends.add(new Pending(id, signaled));
                    }
                    id++;
                }
                case RECEIVE -> {
                    boolean taken = true;
                    try {
                        core.postReceive(CoreFixture.receive(id));
                    } catch (PostException full) {
                        taken = false;
                    }
                    assertThat(taken).isEqualTo(model.receives.size() < receives);
                    if (taken) {
                        model.receives.add(new Pending(id, true));
                    }
                    id++;
                }
                case SEND_DONE, SEND_FAILED -> {
                    // a transport may come late with the result of a request that was flushed or forgotten
                    long head = core.sendQueue().head();
                    long sequence = head - 2 + step.which % (model.sends.size() + 4);
                    WcStatus status = step.kind == Kind.SEND_DONE ? WcStatus.SUCCESS : WcStatus.REM_OP_ERR;
                    if (sequence >= 0) {
                        core.completeSend(sequence, status, 0, 0);
                    }
                    int index = (int) (sequence - head);
                    int i = 0;
                    for (Pending send : model.sends) {
                        if (i++ == index && send.result.isEmpty()) {
                            send.result = status.name();
                        }
                    }
                    model.retire();
                }
                case RECEIVE_DONE -> {
                    if (!model.receives.isEmpty()) {
                        core.completeReceive(WcStatus.SUCCESS, WcOpcode.RECV, 0, 0, 0, 0, false);
                        model.completions.add(model.receives.poll().id + ":SUCCESS");
                    }
                }
                case RUN_LOOP -> {
                    boolean any = fixture.driver.runTasks() > 0;
                    if (any && model.error) {
                        model.flush();
                    }
                }
                case ERROR -> {
                    core.enterError();
                    model.error = true;
                    model.flush();
                }
                case RESET -> {
                    fixture.modify(QpState.RESET);
                    fixture.modify(QpState.INIT);
                    fixture.modify(QpState.RTS);
                    model.sends.clear();
                    model.receives.clear();
                    model.error = false;
                }
            }
        }
        core.enterError();
        fixture.driver.runTasks();
        model.flush();
        assertThat(fixture.completions()).isEqualTo(model.completions);
        assertThat(core.sendQueue().head()).isEqualTo(core.sendQueue().posted());
        assertThat(core.receiveQueue().head()).isEqualTo(core.receiveQueue().posted());
    }

    private static boolean tryPost(QueuePairCore core, SendWr request) {
        try {
            core.postSend(request);
            return true;
        } catch (PostException full) {
            return false;
        }
    }

    @Provide
    Arbitrary<List<Step>> programs() {
        Arbitrary<Kind> kinds = Arbitraries.frequency(
                Tuple.of(8, Kind.SEND),
                Tuple.of(4, Kind.UNSIGNALED),
                Tuple.of(6, Kind.RECEIVE),
                Tuple.of(10, Kind.SEND_DONE),
                Tuple.of(2, Kind.SEND_FAILED),
                Tuple.of(4, Kind.RECEIVE_DONE),
                Tuple.of(3, Kind.RUN_LOOP),
                Tuple.of(1, Kind.ERROR),
                Tuple.of(1, Kind.RESET));
        return Combinators.combine(kinds, Arbitraries.integers().between(0, 1000))
                .as(Step::new)
                .list()
                .ofMaxSize(120);
    }
}
