package io.jrdma.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.jrdma.verbs.Access;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MemoryRegion;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.Sge;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WcStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The short way, with threads of its own: messages and memory. */
@Timeout(60)
class RdmaConnectionTest extends ShortWayFixture {
    // ---- messages ----

    @Test
    void messagesGoBothWays() throws Exception {
        Ends ends = connect();
        ends.client().send(bytes("ping"));
        assertThat(ends.server().receive()).asString(StandardCharsets.UTF_8).isEqualTo("ping");
        ends.server().send(bytes("pong"));
        assertThat(ends.client().receive()).asString(StandardCharsets.UTF_8).isEqualTo("pong");
        assertThat(ends.client().isOpen()).isTrue();
        assertThat(ends.client().queuePair().state()).isEqualTo(QpState.RTS);
        assertThat(ends.client().peerAddress()).isEqualTo(ends.server().localAddress());
    }

    /** Empty, inline, around the limit of inline, staged, as long as a receive. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 127, 128, 129, 511, 512})
    void messageOfAnyLengthArrivesAsItIs(int length) throws Exception {
        Ends ends = connect();
        ends.client().send(pattern(length));
        assertThat(ends.server().receive()).isEqualTo(pattern(length));
        MemorySegment slice = MemorySegment.ofArray(pattern(length + 2)).asSlice(1, length);
        ends.client().send(slice);
        assertThat(ends.server().receive()).isEqualTo(slice.toArray(ValueLayout.JAVA_BYTE));
        MemoryRegion region = ends.client().allocate(length + 1);
        fill(region, pattern(length));
        ends.client().send(Sge.of(region, 0, length));
        assertThat(ends.server().receive()).isEqualTo(pattern(length));
    }

    @Test
    void messageLongerThanTheLimitIsRefusedAndNothingIsSent() throws Exception {
        Ends ends = connect();
        assertThatThrownBy(() -> ends.client().send(new byte[513]))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("513")
                .hasMessageContaining("512");
        ends.client().send(bytes("still here"));
        assertThat(ends.server().receive()).hasSize(10);
    }

    /** Inline and staged: what is refused leaves the room to send as it was. */
    @ParameterizedTest
    @ValueSource(ints = {10, 200})
    void payloadThatIsGoneIsRefusedAndTakesNoRoom(int length) throws Exception {
        Ends ends = connect(options.withSendDepth(2), options);
        MemorySegment gone;
        try (Arena arena = Arena.ofConfined()) {
            gone = arena.allocate(length);
        }
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(() -> ends.client().sendAsync(gone))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("EINVAL");
            assertThatThrownBy(() -> ends.client().sendAsync((Sge) null)).isInstanceOf(NullPointerException.class);
        }
        ends.client().send(pattern(length));
        assertThat(ends.server().receive()).isEqualTo(pattern(length));
    }

    /** Many more messages than receives, at the pace of the wire: buffers are posted again without any call of the application's. */
    @Test
    void receivesArePostedAgainWhileTheApplicationSleeps() throws Exception {
        Ends ends = connect();
        for (int i = 0; i < 500; i++) {
            ends.client().send(new byte[] {(byte) i, (byte) (i >> 8)});
        }
        for (int i = 0; i < 500; i++) {
            assertThat(ends.server().receive()).containsExactly(i, i >> 8);
        }
    }

    @Test
    void messagesBeyondTheQueueHoldBuffersBackUntilTheyAreTaken() throws Exception {
        // 3 wait, 4 buffers are held back behind them: 7 messages fit
        Ends ends = connect(options, options.withQueuedMessages(3));
        for (int i = 0; i < 6; i++) {
            ends.client().send(new byte[] {(byte) i});
        }
        for (int i = 0; i < 6; i++) {
            assertThat(ends.server().receive()).containsExactly(i);
        }
        for (int i = 6; i < 12; i++) {
            ends.client().send(new byte[] {(byte) i});
        }
        for (int i = 6; i < 12; i++) {
            assertThat(ends.server().receive()).containsExactly(i);
        }
        assertThat(ends.server().isOpen()).isTrue();
    }

    @Test
    void burstThatNobodyTakesEndsTheConnection() throws Exception {
        Ends ends = connect(options, options.withQueuedMessages(1));
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            sent.add(ends.client().sendAsync(new byte[] {1}));
        }
        ends.server().ended().get(20, TimeUnit.SECONDS);
        ends.client().ended().get(20, TimeUnit.SECONDS);
        CompletableFuture<Void> all = CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new));
        assertThat(all).isDone();
        // what arrived can still be taken
        int arrived = 0;
        while (true) {
            byte[] message;
            try {
                message = ends.server().receive(SOON);
            } catch (WorkCompletionException end) {
                assertThat(end.status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
                break;
            }
            assertThat(message).hasSize(1);
            arrived++;
        }
        assertThat(arrived).isBetween(4, 5);
    }

    @Test
    void waitingForAMessageEndsInTime() throws Exception {
        Ends ends = connect();
        assertThat(ends.server().receive(Duration.ZERO)).isNull();
        assertThat(ends.server().receive(Duration.ofMillis(1))).isNull();
        ends.client().send(bytes("late"));
        assertThat(ends.server().receive(SOON)).hasSize(4);
    }

    @Test
    void futuresGetMessagesInTheOrderOfAsking() throws Exception {
        Ends ends = connect();
        CompletableFuture<byte[]> first = ends.server().receiveAsync();
        CompletableFuture<byte[]> cancelled = ends.server().receiveAsync();
        CompletableFuture<byte[]> second = ends.server().receiveAsync();
        cancelled.cancel(false);
        ends.client().send(bytes("1"));
        ends.client().send(bytes("2"));
        assertThat(first.get(20, TimeUnit.SECONDS)).containsExactly('1');
        assertThat(second.get(20, TimeUnit.SECONDS)).containsExactly('2');
    }

    @Test
    void interruptedReceiverLosesNoMessage() throws Exception {
        Ends ends = connect();
        AtomicReference<Thread> receiver = new AtomicReference<>();
        CompletableFuture<byte[]> interrupted = async(() -> {
            receiver.set(Thread.currentThread());
            Thread.currentThread().interrupt();
            return ends.server().receive();
        });
        assertThatThrownBy(() -> interrupted.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(InterruptedException.class);
        ends.client().send(bytes("x"));
        assertThat(ends.server().receive(SOON)).containsExactly('x');
    }

    // ---- memory ----

    @Test
    void writesAndReadsMoveMemory() throws Exception {
        Ends ends = connect();
        MemoryRegion target = ends.server().allocate(1000);
        MemoryRegion own = ends.client().allocate(1000);
        ends.client().send(bytes("hello"));
        ends.server().receive();
        ends.server().send(RemoteMemory.of(target).toBytes());
        RemoteMemory remote = RemoteMemory.of(ends.client().receive());
        assertThat(remote).isEqualTo(RemoteMemory.of(target));

        fill(own, pattern(1000));
        ends.client().write(own, remote);
        ends.client().send(bytes("written"));
        ends.server().receive();
        assertThat(content(target, 1000)).isEqualTo(pattern(1000));

        target.segment().fill((byte) 9);
        ends.client().write(Sge.of(own, 10, 5), remote.slice(20, 5));
        ends.client().read(own, remote);
        byte[] expected = new byte[1000];
        java.util.Arrays.fill(expected, (byte) 9);
        System.arraycopy(pattern(1000), 10, expected, 20, 5);
        assertThat(content(own, 1000)).isEqualTo(expected);

        ends.client().readAsync(Sge.of(own, 0, 1), remote).get(20, TimeUnit.SECONDS);
        ends.client().writeAsync(Sge.of(own, 0, 1), remote).get(20, TimeUnit.SECONDS);
    }

    @Test
    void localPartLongerThanTheRemoteOneIsRefused() throws Exception {
        Ends ends = connect();
        MemoryRegion own = ends.client().allocate(100);
        RemoteMemory remote = new RemoteMemory(0, 0, 99);
        for (Blocking<Void> operation : List.<Blocking<Void>>of(
                () -> {
                    ends.client().write(own, remote);
                    return null;
                },
                () -> {
                    ends.client().read(own, remote);
                    return null;
                },
                () -> ends.client().writeAsync(Sge.of(own, 0, 100), remote).join(),
                () -> ends.client().readAsync(Sge.of(own, 0, 100), remote).join())) {
            assertThatThrownBy(operation::run)
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("100")
                    .hasMessageContaining("99");
        }
        assertThat(ends.client().isOpen()).isTrue();
    }

    @Test
    void operationThatFailsTellsItsStatusAndEndsTheConnection() throws Exception {
        Ends ends = connect();
        MemoryRegion own = ends.client().allocate(8);
        RemoteMemory nowhere = new RemoteMemory(4096, 0x1234, 8);
        WorkCompletionException failed = catchThrowableOfType(
                WorkCompletionException.class, () -> ends.client().read(own, nowhere));
        assertThat(failed.status()).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(failed.opcode()).isEqualTo(WcOpcode.RDMA_READ);
        assertThat(failed.vendorError()).isEqualTo(0x101);
        assertThat(failed).hasMessageContaining("remote access error").hasMessageContaining("0x101");
        ends.client().ended().get(20, TimeUnit.SECONDS);
        assertThat(ends.client().isOpen()).isFalse();
        WorkCompletionException late = catchThrowableOfType(
                WorkCompletionException.class, () -> ends.client().send(bytes("x")));
        assertThat(late.status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
        ends.server().ended().get(20, TimeUnit.SECONDS);
        assertThatThrownBy(() -> ends.server().receive()).isInstanceOf(WorkCompletionException.class);
    }

    @Test
    void whoLearnsThatThePeerHasClosedFindsTheConnectionOver() throws Exception {
        Ends ends = connect();
        CompletableFuture<Boolean> openThen = ends.client()
                .receiveAsync()
                .handle((message, failed) -> ends.client().isOpen());
        ends.server().close();
        assertThat(openThen.get(20, TimeUnit.SECONDS)).isFalse();
        assertThatThrownBy(() -> ends.client().receive())
                .isInstanceOf(WorkCompletionException.class)
                .hasMessageContaining("the connection is over");
    }

    @Test
    void closedConnectionTakesNoMemory() throws Exception {
        Ends ends = connect();
        ends.client().close();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment own = arena.allocate(8);
            assertThatThrownBy(() -> ends.client().register(own, Set.of(Access.LOCAL_WRITE)))
                    .isInstanceOfSatisfying(
                            VerbsException.class,
                            closed -> assertThat(closed.errno()).isEqualTo(Errno.ENOTCONN));
        }
        assertThatThrownBy(() -> ends.client().allocate(8)).hasMessageContaining("is closed");
    }

    @Test
    void depthsThatOverflowAnIntAreNamedAsTooMany() {
        assertThatThrownBy(() -> connect(options.withSendDepth(Integer.MAX_VALUE), options))
                .isInstanceOf(RdmaConnectException.class)
                .hasMessageContaining("capacity 2147483647 is outside 1..");
    }

    @Test
    void callersMemoryCanBeRegistered() throws Exception {
        Ends ends = connect();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(16);
            MemoryRegion region = ends.client().register(memory, Set.of(Access.LOCAL_WRITE));
            assertThat(region.segment()).isSameAs(memory);
            ends.client().send(Sge.of(region, 0, 16));
            assertThat(ends.server().receive()).hasSize(16);
            region.close();
        }
    }

    @Test
    void moreOperationsThanTheDepthWaitOrAreRefused() throws Exception {
        Ends ends = connect(options.withSendDepth(2), options.withReceives(512, 64));
        for (int i = 0; i < 50; i++) {
            ends.client().send(new byte[1]);
        }
        // the network's thread is held up, so nothing completes
        CompletableFuture<Void> hold = new CompletableFuture<>();
        ends.client().device().driver().execute(hold::join);
        CompletableFuture<Void> first = ends.client().sendAsync(new byte[1]);
        CompletableFuture<Void> second = ends.client().sendAsync(new byte[300]);
        assertThatThrownBy(() -> ends.client().sendAsync(new byte[1]))
                .isInstanceOfSatisfying(
                        VerbsException.class, full -> assertThat(full.errno()).isEqualTo(Errno.ENOMEM));
        CompletableFuture<Void> third = async(() -> {
            ends.client().send(new byte[2]);
            return null;
        });
        hold.complete(null);
        CompletableFuture.allOf(first, second, third).get(20, TimeUnit.SECONDS);
    }
}
