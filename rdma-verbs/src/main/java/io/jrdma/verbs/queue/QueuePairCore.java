package io.jrdma.verbs.queue;

import io.jrdma.verbs.Access;
import io.jrdma.verbs.AddressHandle;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.PostException;
import io.jrdma.verbs.QpAttribute;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.QpTransitions;
import io.jrdma.verbs.QpType;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendFlags;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.spi.DeviceContext;
import io.jrdma.verbs.spi.DeviceDriver;
import io.jrdma.verbs.spi.DeviceEngine;
import io.jrdma.verbs.spi.QueuePairEngine;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The half of a queue pair that all transports share: its queues, its state, and the rules of completion. Every posted request gets
 * exactly one completion (an unsignaled one only when it fails), sends in the order of posting, whatever order they finish in; in {@link
 * QpState#ERROR} everything outstanding and everything posted later is flushed.
 *
 * <p>{@code post...} may be called from any thread; everything else belongs to the loop.
 */
public final class QueuePairCore {
    private static final int ALL_RIGHTS = -1;

    private final int qpNum;
    private final int protectionDomain;
    private final QueuePairOptions options;
    private final SendQueue sendQueue;
    private final ReceiveQueue receiveQueue;
    private final SendChecks sendChecks;
    private final CompletionPort sendPort;
    private final CompletionPort receivePort;
    private final DeviceContext device;
    private final DeviceDriver driver;
    private final Executor later;
    private final Runnable doorbellTask = this::onDoorbell;
    private final AtomicBoolean doorbell = new AtomicBoolean();
    private volatile QpState state = QpState.RESET;
    private volatile QpAttributes set = QpAttributes.builder().build();
    private volatile @Nullable String endReason;
    private volatile boolean destroyed;
    private int peerRights = ALL_RIGHTS;
    private @Nullable QueuePairEngine engine;
    private volatile @Nullable Runnable receiveListener;
    private @Nullable LongConsumer endListener;

    /** A queue pair in RESET; {@link #attach} comes next. */
    public QueuePairCore(
            int qpNum,
            int protectionDomain,
            QueuePairOptions options,
            CompletionPort sendPort,
            CompletionPort receivePort,
            DeviceContext device,
            DeviceDriver driver) {
        this.qpNum = qpNum;
        this.protectionDomain = protectionDomain;
        this.options = options;
        this.sendQueue = new SendQueue(
                options.maxSendWr(), options.maxSendSge(), options.maxInlineData(), options.type() == QpType.UD);
        this.sendChecks = new SendChecks(options.type(), protectionDomain, sendQueue, device);
        this.receiveQueue = new ReceiveQueue(options.maxRecvWr(), options.maxRecvSge());
        this.sendPort = sendPort;
        this.receivePort = receivePort;
        this.device = device;
        this.driver = driver;
        this.later = driver::execute;
    }

    /**
     * Gives the queue pair its transport's half; loop, once.
     *
     * @throws VerbsException ENODEV if it was destroyed in the meantime, or what the transport says
     */
    public void attach(DeviceEngine deviceEngine) {
        if (destroyed) {
            throw new VerbsException(Errno.ENODEV, destroyedText());
        }
        engine = deviceEngine.createQueuePair(this);
    }

    /** The transport's half; null once the queue pair is destroyed. */
    public @Nullable QueuePairEngine engine() {
        return engine;
    }

    public int qpNum() {
        return qpNum;
    }

    /** The number of the protection domain, for the memory table. */
    public int protectionDomain() {
        return protectionDomain;
    }

    public QueuePairOptions options() {
        return options;
    }

    public SendQueue sendQueue() {
        return sendQueue;
    }

    public ReceiveQueue receiveQueue() {
        return receiveQueue;
    }

    /** The device that the queue pair belongs to. */
    public DeviceContext device() {
        return device;
    }

    /**
     * Whether peers may do that through the queue pair, as far as it is concerned: the region decides as well. Everything, as long as no
     * {@link QpAttribute#ACCESS_FLAGS} were given, which iWARP does not require.
     */
    public boolean allows(Access right) {
        return (peerRights & right.bit()) != 0;
    }

    /** The state; any thread. */
    public QpState state() {
        return state;
    }

    /** The attributes that were set since the last RESET, whoever did it; the state among them is not kept up; any thread. */
    public QpAttributes attributes() {
        return set;
    }

    // ---- any thread ----

    /** Why it went to ERROR or away, in words for people; null before that, and if nobody has said; any thread. */
    public @Nullable String endReason() {
        return endReason;
    }

    /**
     * Says why it is about to go to ERROR or away: the transport or the connection manager, before the first flushed completion shows. The
     * first reason counts until RESET; any thread.
     */
    public void endsBecause(String why) {
        synchronized (sendQueue) {
            if (endReason == null) {
                endReason = why;
            }
        }
    }

    /**
     * Posts one send; without the doorbell.
     *
     * @param index position in the caller's list, for the exception
     */
    private void postLocked(SendWr request, int index) {
        if (destroyed) {
            throw new PostException(Errno.ENODEV, index, destroyedText());
        }
        QpState now = state;
        if (now == QpState.RESET || now == QpState.INIT || now == QpState.RTR) {
            throw new PostException(
                    Errno.EINVAL, index, "a send cannot be posted in state " + now + "; allowed from RTS on");
        }
        boolean inline = sendChecks.check(request, index);
        sendQueue.offer(request, inline);
    }

    /** Posts sends and rings the doorbell once; the arguments were checked for null. */
    public void postSend(SendWr request) {
        synchronized (sendQueue) {
            postLocked(request, 0);
        }
        ringDoorbell();
    }

    /** Posts the list in order; at the first bad one it stops and throws, those before it are posted. */
    public void postSend(Iterable<SendWr> requests) {
        int index = 0;
        try {
            synchronized (sendQueue) {
                for (SendWr request : requests) {
                    postLocked(request, index);
                    index++;
                }
            }
        } finally {
            if (index > 0) {
                ringDoorbell();
            }
        }
    }

    private void postLocked(RecvWr request, int index) {
        if (destroyed) {
            throw new PostException(Errno.ENODEV, index, destroyedText());
        }
        if (state == QpState.RESET) {
            throw new PostException(
                    Errno.EINVAL, index, "a receive cannot be posted in state RESET; allowed from INIT on");
        }
        if (request.sgeCount() > receiveQueue.maxSge()) {
            throw new PostException(
                    Errno.EINVAL,
                    index,
                    "receive with " + request.sgeCount() + " scatter/gather elements; allowed are "
                            + receiveQueue.maxSge());
        }
        if (!receiveQueue.hasRoom()) {
            throw new PostException(
                    Errno.ENOMEM, index, "receive queue is full with " + receiveQueue.capacity() + " requests");
        }
        receiveQueue.offer(request);
    }

    /** Posts a receive. The loop looks for receives when it needs them, so only a flush needs the doorbell. */
    public void postReceive(RecvWr request) {
        synchronized (receiveQueue) {
            postLocked(request, 0);
        }
        flushIfPostedTooLate();
    }

    /** Posts the list in order; at the first bad one it stops and throws, those before it are posted. */
    public void postReceive(Iterable<RecvWr> requests) {
        int index = 0;
        try {
            synchronized (receiveQueue) {
                for (RecvWr request : requests) {
                    postLocked(request, index);
                    index++;
                }
            }
        } finally {
            if (index > 0) {
                flushIfPostedTooLate();
            }
        }
    }

    private void flushIfPostedTooLate() {
        if (state == QpState.ERROR) {
            ringDoorbell();
        }
    }

    private void ringDoorbell() {
        if (!doorbell.get() && doorbell.compareAndSet(false, true)) {
            driver.execute(doorbellTask);
        }
    }

    // ---- loop ----

    private void onDoorbell() {
        doorbell.set(false);
        QueuePairEngine current = engine;
        if (current == null) {
            return;
        }
        if (state == QpState.ERROR) {
            flush();
        } else {
            current.onDoorbell(driver.nowNs());
        }
    }

    /**
     * The application's modify, or on RoCE the connection manager's.
     *
     * @throws VerbsException EINVAL if the state table does not allow it, or what the transport says; the state stays
     */
    public void modify(QpAttributes attributes) {
        QueuePairEngine current = engine;
        if (current == null) {
            throw new VerbsException(Errno.ENODEV, destroyedText());
        }
        QpState from = state;
        QpState to = QpTransitions.check(device.attributes().transport(), options.type(), from, attributes);
        current.onModify(from, to, attributes, driver.nowNs());
        set = to == QpState.RESET ? QpAttributes.builder().build() : set.with(attributes);
        if (attributes.has(QpAttribute.ACCESS_FLAGS)) {
            peerRights = attributes.accessFlags();
        }
        if (to == QpState.RESET) {
            peerRights = ALL_RIGHTS;
            state = to;
            endReason = null;
            forget();
        } else if (to == QpState.ERROR) {
            endsBecause("this side took the queue pair to ERROR");
            enterError();
            ended();
        } else if (state == from) {
            // otherwise the transport has moved it itself, to ERROR perhaps
            state = to;
        }
    }

    private String destroyedText() {
        return "queue pair 0x" + Integer.toHexString(qpNum) + " is destroyed";
    }

    /** The engine's own change of state, for all but ERROR: a connection brings its queue pair to RTS. */
    public void setState(QpState newState) {
        state = newState;
    }

    /**
     * Completes a send; completions appear when all earlier sends have theirs. Does nothing for a request that has its result already:
     * it may have been flushed or forgotten in the meantime.
     *
     * @param byteLength bytes transferred
     * @param vendorError detail of a failure, or 0
     */
    public void completeSend(long sequence, WcStatus status, long byteLength, int vendorError) {
        if (sendQueue.isOutstanding(sequence) && !sendQueue.isDone(sequence)) {
            sendQueue.setDone(sequence, status, byteLength, vendorError);
            retireSends();
        }
    }

    private void retireSends() {
        // [IBTA-9.7.6-12] [RFC5040-5.5-4] a later one that is done waits for its turn
        long sequence = sendQueue.head();
        while (sequence < sendQueue.posted() && sendQueue.isDone(sequence)) {
            WcStatus status = sendQueue.status(sequence);
            boolean visible = options.signalAll()
                    || (sendQueue.flags(sequence) & SendFlags.SIGNALED) != 0
                    || status != WcStatus.SUCCESS;
            long id = sendQueue.id(sequence);
            WcOpcode opcode = sendQueue.opcode(sequence).completion();
            int vendorError = sendQueue.vendorError(sequence);
            long byteLength = sendQueue.doneLength(sequence);
            // the slot is free before the completion shows: whoever polls it may post the next request at once
            retireSend(sequence);
            if (visible) {
                sendPort.complete(id, status, opcode, vendorError, byteLength, 0, qpNum, 0, false);
            }
            sequence = sendQueue.head();
        }
    }

    private void retireSend(long sequence) {
        AddressHandle to = sendQueue.takeDestination(sequence);
        sendQueue.retire();
        if (to != null) {
            to.letGo(later);
        }
    }

    /**
     * Completes the oldest receive.
     *
     * @throws IllegalStateException if none is posted: the transport's fault
     * @param immediateOrKey meaningful with a flag of {@link io.jrdma.verbs.WorkCompletion}
     * @param solicited whether the message asked for a solicited event
     * @return false if the completion queue had no room: nobody will hear of the message, so the peer must not be told that it arrived,
     *     and the queue pair is to go to ERROR
     */
    public boolean completeReceive(
            WcStatus status,
            WcOpcode opcode,
            long byteLength,
            int vendorError,
            int immediateOrKey,
            int flags,
            boolean solicited) {
        return completeReceive(status, opcode, byteLength, vendorError, immediateOrKey, 0, flags, solicited);
    }

    /**
     * Completes the oldest receive with a datagram; as above.
     *
     * @param sourceQp the queue pair that it came from
     */
    public boolean completeReceive(
            WcStatus status,
            WcOpcode opcode,
            long byteLength,
            int vendorError,
            int immediateOrKey,
            int sourceQp,
            int flags,
            boolean solicited) {
        if (receiveQueue.head() == receiveQueue.posted()) {
            throw new IllegalStateException(
                    "queue pair 0x" + Integer.toHexString(qpNum) + " has no receive to complete with " + status);
        }
        long id = receiveQueue.id(receiveQueue.head());
        receiveQueue.retire(); // before the completion shows, as for sends
        boolean shown = receivePort.complete(
                id, status, opcode, vendorError, byteLength, immediateOrKey, qpNum, sourceQp, flags, solicited);
        Runnable listener = receiveListener;
        if (listener != null) {
            listener.run();
        }
        return shown;
    }

    /**
     * Has the task run behind each completion of a receive, on the loop, in the middle of the transport's work. It may poll completion
     * queues and post receives, and nothing else: that is what lets every message of a burst find a receive where there is no way to make
     * the peer wait. To be set before the queue pair is connected; for the connection manager.
     */
    public void onReceiveCompleted(@Nullable Runnable task) {
        receiveListener = task;
    }

    /** Goes to ERROR and flushes: first the sends, then the receives, each in order of posting. Harmless when in ERROR already. */
    public void enterError() {
        state = QpState.ERROR;
        flush();
    }

    private void flush() {
        long end = sendQueue.posted();
        for (long sequence = sendQueue.head(); sequence < end; sequence++) {
            if (!sendQueue.isDone(sequence)) {
                sendQueue.setDone(sequence, WcStatus.WR_FLUSH_ERR, 0, 0);
            }
        }
        retireSends();
        long posted = receiveQueue.posted(); // what comes later rings the doorbell
        while (receiveQueue.head() < posted) {
            completeReceive(WcStatus.WR_FLUSH_ERR, WcOpcode.RECV, 0, 0, 0, 0, false);
        }
    }

    /** RESET forgets all requests without completions (IBTA volume 1, 10.3.1), and so does the end of the queue pair. */
    private void forget() {
        synchronized (sendQueue) {
            while (sendQueue.head() < sendQueue.posted()) {
                retireSend(sendQueue.head());
            }
        }
        synchronized (receiveQueue) {
            while (receiveQueue.head() < receiveQueue.posted()) {
                receiveQueue.retire();
            }
        }
    }

    /** Refuses all posts from now on; any thread. */
    public void refusePosts() {
        destroyed = true;
    }

    /** Takes the transport's half away; what is outstanding gets no completion. Harmless when repeated. */
    public void destroy() {
        destroyed = true;
        QueuePairEngine current = engine;
        if (current != null) {
            endsBecause("this side destroyed the queue pair");
            engine = null;
            current.onDestroy(driver.nowNs());
            forget(); // nothing is posted any more, and nothing sent
            ended();
        }
    }

    /**
     * Has the listener called, on the loop, with the time when the queue pair is taken to ERROR or destroyed: for the connection manager,
     * whose connection is over then. A fault that the transport finds itself is not reported here. Null for nobody; loop.
     */
    public void onEnd(@Nullable LongConsumer listener) {
        endListener = listener;
    }

    private void ended() {
        LongConsumer listener = endListener;
        if (listener != null) {
            listener.accept(driver.nowNs());
        }
    }
}
