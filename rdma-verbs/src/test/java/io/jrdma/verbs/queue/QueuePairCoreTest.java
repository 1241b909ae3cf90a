package io.jrdma.verbs.queue;

import static io.jrdma.verbs.queue.CoreFixture.receive;
import static io.jrdma.verbs.queue.CoreFixture.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.PostException;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.WrOpcode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class QueuePairCoreTest {
    private final CoreFixture fixture = CoreFixture.ready();
    private final QueuePairCore core = fixture.core;

    private void complete(long sequence) {
        core.completeSend(sequence, WcStatus.SUCCESS, 0, 0);
    }

    private void completeReceive() {
        core.completeReceive(WcStatus.SUCCESS, WcOpcode.RECV, 5, 0, 0, 0, false);
    }

    @Test
    void completionsOfSendsComeInOrderOfPostingHoweverTheyFinish() {
        for (int i = 0; i < 4; i++) {
            core.postSend(send(10 + i));
        }
        complete(2);
        complete(1);
        assertThat(fixture.completions()).isEmpty();
        complete(0);
        assertThat(fixture.completions()).containsExactly("10:SUCCESS", "11:SUCCESS", "12:SUCCESS");
        complete(3);
        assertThat(fixture.completions()).containsExactly("13:SUCCESS");
    }

    @Test
    void fieldsOfTheCompletionAreThoseOfTheRequest() {
        core.postSend(send(-5).opcode(WrOpcode.RDMA_READ));
        core.completeSend(0, WcStatus.REM_ACCESS_ERR, 77, 0x1201);
        core.postReceive(receive(6));
        core.completeReceive(WcStatus.SUCCESS, WcOpcode.RECV, 1L << 31, 3, 0xAABB, WorkCompletion.WITH_INV, true);
        WorkCompletion[] holders = {new WorkCompletion(), new WorkCompletion(), new WorkCompletion()};
        assertThat(fixture.port.drain(holders, 1, 2)).isEqualTo(2);
        WorkCompletion sent = holders[1];
        assertThat(sent.id()).isEqualTo(-5);
        assertThat(sent.status()).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(sent.isSuccess()).isFalse();
        assertThat(sent.opcode()).isEqualTo(WcOpcode.RDMA_READ);
        assertThat(sent.byteLength()).isEqualTo(77);
        assertThat(sent.vendorError()).isEqualTo(0x1201);
        assertThat(sent.qpNum()).isEqualTo(CoreFixture.QP_NUM);
        WorkCompletion received = holders[2];
        assertThat(received.id()).isEqualTo(6);
        assertThat(received.isSuccess()).isTrue();
        assertThat(received.opcode()).isEqualTo(WcOpcode.RECV);
        assertThat(received.byteLength()).isEqualTo(1L << 31);
        assertThat(received.invalidatedKey()).isEqualTo(0xAABB);
        assertThat(received.flags()).isEqualTo(WorkCompletion.WITH_INV);
        assertThat(received.vendorError()).isEqualTo(3);
        assertThat(holders[0].id()).isZero();
    }

    @Test
    void unsignaledSendIsSilentOnSuccessAndLoudOnFailure() {
        core.postSend(send(1).signaled(false));
        core.postSend(send(2));
        core.postSend(send(3).signaled(false));
        complete(0);
        assertThat(fixture.completions()).isEmpty();
        complete(1);
        core.completeSend(2, WcStatus.LOC_PROT_ERR, 0, 0);
        assertThat(fixture.completions()).containsExactly("2:SUCCESS", "3:LOC_PROT_ERR");
    }

    @Test
    void signalAllMakesEverySendLoud() {
        CoreFixture all = CoreFixture.ready(4, 4, true);
        all.core.postSend(send(1).signaled(false));
        all.core.completeSend(0, WcStatus.SUCCESS, 0, 0);
        assertThat(all.completions()).containsExactly("1:SUCCESS");
    }

    @Test
    void errorFlushesSendsThenReceivesAndKeepsWhatWasDecided() {
        core.postReceive(receive(20));
        core.postReceive(receive(21));
        for (int i = 0; i < 4; i++) {
            core.postSend(send(10 + i).signaled(false));
        }
        core.completeSend(2, WcStatus.REM_OP_ERR, 0, 0);
        complete(3);
        core.enterError();
        // 13 succeeded, so it is silent
        assertThat(fixture.completions())
                .containsExactly(
                        "10:WR_FLUSH_ERR", "11:WR_FLUSH_ERR", "12:REM_OP_ERR", "20:WR_FLUSH_ERR", "21:WR_FLUSH_ERR");
        core.enterError();
        assertThat(fixture.completions()).isEmpty();
    }

    @Test
    void postsInErrorAreFlushed() {
        core.enterError();
        core.postSend(send(1).signaled(false));
        core.postReceive(receive(2));
        core.postSend(List.of(send(3), send(4)));
        core.postReceive(List.of(receive(5)));
        assertThat(fixture.completions()).isEmpty();
        fixture.driver.runTasks();
        assertThat(fixture.completions())
                .containsExactly(
                        "1:WR_FLUSH_ERR", "3:WR_FLUSH_ERR", "4:WR_FLUSH_ERR", "2:WR_FLUSH_ERR", "5:WR_FLUSH_ERR");
        assertThat(fixture.engine.doorbells).isZero();
    }

    /** A poller may see a completion and post the next request before the loop has gone on. */
    @Test
    void slotIsFreeWhenItsCompletionShows() {
        CoreFixture one = CoreFixture.ready(1, 1, false);
        List<String> seen = new ArrayList<>();
        one.onNotify = () -> {
            seen.addAll(one.completions());
            one.core.postSend(send(2));
            one.core.postReceive(receive(12));
        };
        one.core.postReceive(receive(11));
        one.core.completeReceive(WcStatus.SUCCESS, WcOpcode.RECV, 0, 0, 0, 0, false);
        one.core.postSend(send(1));
        one.port.arm(false);
        one.completions();
        one.core.completeSend(0, WcStatus.SUCCESS, 0, 0);
        assertThat(seen).containsExactly("1:SUCCESS");
        one.onNotify = () -> one.core.postReceive(receive(13));
        one.port.arm(false);
        one.core.completeReceive(WcStatus.SUCCESS, WcOpcode.RECV, 0, 0, 0, 0, false);
        assertThat(one.completions()).containsExactly("12:SUCCESS");
        one.core.completeSend(1, WcStatus.SUCCESS, 0, 0);
        assertThat(one.completions()).containsExactly("2:SUCCESS");
    }

    @Test
    void completingInsideANotificationGivesOneCompletionEach() {
        fixture.onNotify = () -> {
            complete(1);
            core.enterError();
        };
        for (int i = 0; i < 3; i++) {
            core.postSend(send(i));
        }
        core.postReceive(receive(10));
        fixture.port.arm(false);
        complete(0);
        assertThat(fixture.completions())
                .containsExactly("0:SUCCESS", "1:SUCCESS", "2:WR_FLUSH_ERR", "10:WR_FLUSH_ERR");
    }

    /** The ring has 8 slots: request 8 stands where request 0 stood. */
    @Test
    void lateResultOfAFlushedRequestDoesNotHitItsSuccessor() {
        core.postSend(send(0));
        core.enterError();
        fixture.modify(QpState.RESET);
        fixture.modify(QpState.INIT);
        fixture.modify(QpState.RTS);
        for (int i = 1; i <= 8; i++) {
            core.postSend(send(i));
        }
        fixture.completions();
        core.completeSend(0, WcStatus.REM_OP_ERR, 0, 0);
        for (int i = 1; i <= 8; i++) {
            complete(i);
        }
        assertThat(fixture.completions())
                .containsExactly(
                        "1:SUCCESS",
                        "2:SUCCESS",
                        "3:SUCCESS",
                        "4:SUCCESS",
                        "5:SUCCESS",
                        "6:SUCCESS",
                        "7:SUCCESS",
                        "8:SUCCESS");
        core.completeSend(9, WcStatus.SUCCESS, 0, 0);
        assertThat(fixture.completions()).isEmpty();
    }

    @Test
    void firstResultOfARequestCounts() {
        core.postSend(send(1));
        core.postSend(send(2));
        core.completeSend(1, WcStatus.REM_OP_ERR, 0, 0);
        complete(1);
        complete(0);
        assertThat(fixture.completions()).containsExactly("1:SUCCESS", "2:REM_OP_ERR");
    }

    @Test
    void receiveThatIsNotPostedCannotComplete() {
        core.postReceive(receive(1));
        completeReceive();
        assertThatThrownBy(this::completeReceive)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("0x1234 has no receive to complete with SUCCESS");
        core.postReceive(receive(2));
        completeReceive();
        assertThat(fixture.completions()).containsExactly("1:SUCCESS", "2:SUCCESS");
    }

    @Test
    void resetForgetsWithoutCompletions() {
        core.postSend(send(1));
        core.postReceive(receive(2));
        fixture.modify(QpState.RESET);
        assertThat(fixture.completions()).isEmpty();
        assertThat(core.sendQueue().head()).isEqualTo(core.sendQueue().posted());
        assertThat(core.receiveQueue().head()).isEqualTo(core.receiveQueue().posted());
        fixture.modify(QpState.INIT);
        fixture.modify(QpState.RTS);
        core.postSend(send(3));
        complete(1);
        core.postReceive(receive(4));
        completeReceive();
        assertThat(fixture.completions()).containsExactly("3:SUCCESS", "4:SUCCESS");
    }

    @Test
    void refusedModifyLeavesTheState() {
        assertThatThrownBy(() -> fixture.modify(QpState.SQE)).isInstanceOf(VerbsException.class);
        assertThat(core.state()).isEqualTo(QpState.RTS);
        assertThat(fixture.engine.modified).isNotNull();
        fixture.engine.onModify = () -> {
            throw new VerbsException(Errno.EINVAL, "the transport does not want to");
        };
        core.postSend(send(1));
        for (QpState state : List.of(QpState.RESET, QpState.ERROR, QpState.SQD)) {
            assertThatThrownBy(() -> fixture.modify(state)).hasMessage("EINVAL: the transport does not want to");
            assertThat(core.state()).isEqualTo(QpState.RTS);
        }
        assertThat(fixture.completions()).isEmpty();
        complete(0);
        assertThat(fixture.completions()).containsExactly("1:SUCCESS");
    }

    /** The stream may die while the transport is at it. */
    @Test
    void errorThatTheTransportEntersDuringAModifyStays() {
        fixture.engine.onModify = core::enterError;
        fixture.modify(QpState.SQD);
        assertThat(core.state()).isEqualTo(QpState.ERROR);
    }

    @Test
    void modifyTellsTheTransportFromToAndAttributes() {
        QpAttributes change = QpAttributes.builder().maxRdAtomic(3).build();
        core.modify(change);
        assertThat(fixture.engine.modified).isSameAs(change);
        assertThat(core.state()).isEqualTo(QpState.RTS);
    }

    @Test
    void doorbellIsRungOnceUntilTheLoopHasLooked() {
        core.postSend(send(1));
        core.postSend(send(2));
        core.postSend(List.of(send(3), send(4)));
        assertThat(fixture.driver.runTasks()).isEqualTo(1);
        assertThat(fixture.engine.doorbells).isEqualTo(1);
        core.postSend(send(5));
        assertThat(fixture.driver.runTasks()).isEqualTo(1);
        assertThat(fixture.engine.doorbells).isEqualTo(2);
        core.postReceive(receive(1));
        assertThat(fixture.driver.runTasks()).isZero();
    }

    @Test
    void postDuringTheDoorbellRingsAgain() {
        fixture.engine.onDoorbell = () -> {
            if (fixture.engine.doorbells == 1) {
                core.postSend(send(2));
            }
        };
        core.postSend(send(1));
        assertThat(fixture.driver.runTasks()).isEqualTo(2);
        assertThat(fixture.engine.doorbells).isEqualTo(2);
    }

    @Test
    void destroyedQueuePairCompletesNothingAndTakesNothing() {
        core.postSend(send(1));
        core.postReceive(receive(2));
        core.destroy();
        core.destroy();
        assertThat(fixture.engine.destroys).isEqualTo(1);
        assertThat(core.engine()).isNull();
        fixture.driver.runTasks();
        assertThat(fixture.engine.doorbells).isZero();
        assertThat(fixture.completions()).isEmpty();
        assertThatThrownBy(() -> core.postSend(send(3)))
                .isInstanceOfSatisfying(
                        PostException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENODEV))
                .hasMessage("ENODEV: queue pair 0x1234 is destroyed");
        assertThatThrownBy(() -> core.postReceive(receive(3))).hasMessage("ENODEV: queue pair 0x1234 is destroyed");
        assertThatThrownBy(() -> fixture.modify(QpState.ERROR)).hasMessage("ENODEV: queue pair 0x1234 is destroyed");
    }
}
