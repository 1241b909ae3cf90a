package io.jrdma.verbs;

/**
 * Something that happened to an object outside any work request ({@code ibv_async_event}).
 *
 * @param type what happened
 * @param qpNum the queue pair concerned, or -1
 * @param completionQueue the number of the completion queue concerned, or -1
 * @param detail transport's own code; iWARP: the Terminate's layer, error type and code as {@code 0xLTCC}; 0 if there is none
 * @param text for people
 */
public record AsyncEvent(Type type, int qpNum, int completionQueue, int detail, String text) {
    /** Kinds of events; codes as in {@code enum ibv_event_type}. */
    public enum Type {
        CQ_ERR(0),
        QP_FATAL(1),
        QP_REQ_ERR(2),
        QP_ACCESS_ERR(3),
        COMM_EST(4),
        SQ_DRAINED(5),
        PATH_MIG(6),
        PATH_MIG_ERR(7),
        DEVICE_FATAL(8),
        PORT_ACTIVE(9),
        PORT_ERR(10),
        SRQ_ERR(14),
        SRQ_LIMIT_REACHED(15),
        QP_LAST_WQE_REACHED(16);

        private final int code;

        Type(int code) {
            this.code = code;
        }

        /** The code of {@code verbs.h}. */
        public int code() {
            return code;
        }
    }

    /** An event of a queue pair. */
    public static AsyncEvent ofQueuePair(Type type, int qpNum, int detail, String text) {
        return new AsyncEvent(type, qpNum, -1, detail, text);
    }

    /** An event of a completion queue. */
    public static AsyncEvent ofCompletionQueue(Type type, int number, String text) {
        return new AsyncEvent(type, -1, number, 0, text);
    }
}
