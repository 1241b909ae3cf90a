package io.jrdma.ib;

/**
 * The latest Reads and atomics that a responder took, oldest first, so that they can be answered again: a Read from memory, an atomic with
 * the value that it found the first time (IBTA volume 1, 9.7.4). As many as the peer may have on the way, at least.
 */
final class ResponderResources {
    /** Nothing of the request is to be sent. */
    private static final long ANSWERED = -1;

    private final int mask;
    private final boolean[] atomic;
    private final long[] first;
    private final long[] end;
    private final long[] address;
    private final long[] length;
    private final int[] key;
    private final int[] aethMsn;
    private final long[] original;
    // what is to be sent: from which PSN on; and the Read that it answers, which may be a part of the one above
    private final long[] next;
    private final boolean[] answeredOnce;
    private final long[] answerFirst;
    private final long[] answerAddress;
    private final long[] answerLength;
    private long head;
    private long tail;
    private int unanswered;
    /** No entry before this one is to be answered. */
    private long oldestUnanswered;

    /** None; room for {@code maxDestRdAtomic}, rounded up. */
    ResponderResources(int maxDestRdAtomic) {
        int slots = maxDestRdAtomic <= 1 ? 1 : Integer.highestOneBit(maxDestRdAtomic - 1) << 1;
        mask = slots - 1;
        atomic = new boolean[slots];
        first = new long[slots];
        end = new long[slots];
        address = new long[slots];
        length = new long[slots];
        key = new int[slots];
        aethMsn = new int[slots];
        original = new long[slots];
        next = new long[slots];
        answeredOnce = new boolean[slots];
        answerFirst = new long[slots];
        answerAddress = new long[slots];
        answerLength = new long[slots];
    }

    /** These, with room for {@code maxDestRdAtomic}: the oldest are forgotten, but none that is still to be answered. */
    ResponderResources resized(int maxDestRdAtomic) {
        if (unanswered > 0) {
            firstUnanswered();
        } else {
            oldestUnanswered = tail;
        }
        ResponderResources other = new ResponderResources((int) Math.max(maxDestRdAtomic, tail - oldestUnanswered));
        other.tail = tail;
        other.head = Math.max(head, tail - other.mask - 1);
        other.unanswered = unanswered;
        other.oldestUnanswered = oldestUnanswered;
        for (long i = other.head; i < tail; i++) {
            other.copy((int) i & other.mask, this, (int) i & mask);
        }
        return other;
    }

    private void copy(int to, ResponderResources source, int from) {
        atomic[to] = source.atomic[from];
        first[to] = source.first[from];
        end[to] = source.end[from];
        address[to] = source.address[from];
        length[to] = source.length[from];
        key[to] = source.key[from];
        aethMsn[to] = source.aethMsn[from];
        original[to] = source.original[from];
        next[to] = source.next[from];
        answeredOnce[to] = source.answeredOnce[from];
        answerFirst[to] = source.answerFirst[from];
        answerAddress[to] = source.answerAddress[from];
        answerLength[to] = source.answerLength[from];
    }

    /** Whether something is to be sent. */
    boolean isAnswering() {
        return unanswered > 0;
    }

    /**
     * Whether one more can be taken without forgetting one that was never answered. One that is being answered again may be forgotten: a
     * peer that asks for more than it may have on the way has got that answer meanwhile.
     */
    boolean hasRoom() {
        int oldest = (int) head & mask;
        return tail - head <= mask || next[oldest] == ANSWERED || answeredOnce[oldest];
    }

    /** Takes a Read, to be answered. */
    void addRead(long firstPsn, long packets, long readAddress, long readLength, int readKey, int msn) {
        int slot = add(firstPsn, packets, msn);
        atomic[slot] = false;
        address[slot] = readAddress;
        length[slot] = readLength;
        key[slot] = readKey;
        answerFirst[slot] = firstPsn;
        answerAddress[slot] = readAddress;
        answerLength[slot] = readLength;
    }

    /** Takes an atomic that was carried out, to be answered. */
    void addAtomic(long psn, long originalValue, int msn) {
        int slot = add(psn, 1, msn);
        atomic[slot] = true;
        original[slot] = originalValue;
    }

    private int add(long firstPsn, long packets, int msn) {
        if (tail - head > mask) {
            unanswered -= next[(int) head & mask] == ANSWERED ? 0 : 1;
            head++;
            oldestUnanswered = Math.max(oldestUnanswered, head);
        }
        if (unanswered == 0) {
            oldestUnanswered = tail;
        }
        int slot = (int) tail++ & mask;
        first[slot] = firstPsn;
        end[slot] = firstPsn + packets;
        aethMsn[slot] = msn;
        next[slot] = firstPsn;
        answeredOnce[slot] = false;
        unanswered++;
        return slot;
    }

    /** Forgets everything that is to be sent. */
    void dropAnswers() {
        for (long i = head; i < tail; i++) {
            next[(int) i & mask] = ANSWERED;
        }
        unanswered = 0;
    }

    /**
     * A Read request again, perhaps for a part of what was asked for.
     *
     * @param packets PSNs of the answer
     * @param msn that the answer carries: the one of now, as of every answer to something that comes again
     * @return false if no such Read is remembered
     */
    boolean readAgain(long psn, long packets, long readAddress, long readLength, int readKey, int msn) {
        long entry = find(psn);
        int slot = (int) entry & mask;
        if (entry < 0 || atomic[slot] || psn + packets > end[slot]) {
            return false;
        }
        // of a Read without bytes neither key nor address means anything
        if (readLength != 0 || length[slot] != 0) {
            long offset = readAddress - address[slot];
            if (readKey != key[slot] || offset < 0 || offset > length[slot] || readLength > length[slot] - offset) {
                return false;
            }
        }
        again(entry, psn, msn);
        answerFirst[slot] = psn;
        answerAddress[slot] = readAddress;
        answerLength[slot] = readLength;
        return true;
    }

    /** An atomic again; false if it is not remembered. */
    boolean atomicAgain(long psn, int msn) {
        long entry = find(psn);
        if (entry < 0 || !atomic[(int) entry & mask]) {
            return false;
        }
        again(entry, psn, msn);
        return true;
    }

    private void again(long entry, long psn, int msn) {
        int slot = (int) entry & mask;
        aethMsn[slot] = msn;
        if (unanswered == 0 || entry < oldestUnanswered) {
            oldestUnanswered = entry;
        }
        if (next[slot] == ANSWERED) {
            unanswered++;
        }
        next[slot] = psn;
    }

    private long find(long psn) {
        for (long i = tail - 1; i >= head; i--) {
            int slot = (int) i & mask;
            if (psn >= first[slot]) {
                return psn < end[slot] ? i : -1;
            }
        }
        return -1;
    }

    /** The oldest that is to be answered; only while {@link #isAnswering}. */
    int firstUnanswered() {
        while (next[(int) oldestUnanswered & mask] == ANSWERED) {
            oldestUnanswered++;
        }
        return (int) oldestUnanswered & mask;
    }

    boolean isAtomic(int slot) {
        return atomic[slot];
    }

    long nextPsn(int slot) {
        return next[slot];
    }

    /** Of the answer to a Read: its first PSN. */
    long answerFirst(int slot) {
        return answerFirst[slot];
    }

    long answerAddress(int slot) {
        return answerAddress[slot];
    }

    long answerLength(int slot) {
        return answerLength[slot];
    }

    int key(int slot) {
        return key[slot];
    }

    int aethMsn(int slot) {
        return aethMsn[slot];
    }

    long originalValue(int slot) {
        return original[slot];
    }

    /** A packet of the answer was sent; {@code last} if it was its last. */
    void onSent(int slot, boolean last) {
        if (last) {
            next[slot] = ANSWERED;
            answeredOnce[slot] = true;
            unanswered--;
        } else {
            next[slot]++;
        }
    }
}
