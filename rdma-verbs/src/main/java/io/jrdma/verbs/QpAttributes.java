package io.jrdma.verbs;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Attributes of a queue pair: for {@link QueuePair#modify} those that are to be set, from {@link QueuePair#query} those in force ({@code
 * ibv_qp_attr} with its mask). Immutable.
 */
public final class QpAttributes {
    private final EnumMap<QpAttribute, Object> values;

    private QpAttributes(EnumMap<QpAttribute, Object> values) {
        this.values = values;
    }

    /** An empty builder. */
    public static Builder builder() {
        return new Builder();
    }

    /** Only a new state. */
    public static QpAttributes state(QpState state) {
        return builder().state(state).build();
    }

    /** Which attributes are set. */
    public Set<QpAttribute> mask() {
        return Collections.unmodifiableSet(values.keySet());
    }

    /** Whether that attribute is set. */
    public boolean has(QpAttribute attribute) {
        return values.containsKey(attribute);
    }

    /** The state, or null if it is not set. */
    public @Nullable QpState state() {
        return (QpState) values.get(QpAttribute.STATE);
    }

    /** The state that the caller believes the queue pair is in, or null if it is not set. */
    public @Nullable QpState currentState() {
        return (QpState) values.get(QpAttribute.CUR_STATE);
    }

    /** The address vector, or null if it is not set. */
    public @Nullable AddressVector addressVector() {
        return (AddressVector) values.get(QpAttribute.AV);
    }

    /** The {@link Access} mask, or 0. */
    public int accessFlags() {
        return number(QpAttribute.ACCESS_FLAGS, 0);
    }

    /** The value of a numeric attribute, or the fallback if it is not set. */
    public int number(QpAttribute attribute, int fallback) {
        Object value = values.get(attribute);
        return value instanceof Integer number ? number : fallback;
    }

    /** These, overlaid with those: what is in force after both were set. */
    public QpAttributes with(QpAttributes newer) {
        EnumMap<QpAttribute, Object> merged = new EnumMap<>(values);
        merged.putAll(newer.values);
        merged.remove(QpAttribute.CUR_STATE); // a condition, not a setting
        return new QpAttributes(merged);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("QpAttributes[");
        for (Map.Entry<QpAttribute, Object> entry : values.entrySet()) {
            text.append(text.length() == 13 ? "" : ", ")
                    .append(entry.getKey())
                    .append('=')
                    .append(entry.getValue());
        }
        return text.append(']').toString();
    }

    /** Collects attributes; every setter checks the range and throws {@link IllegalArgumentException} naming value and range. */
    public static final class Builder {
        private final EnumMap<QpAttribute, Object> values = new EnumMap<>(QpAttribute.class);

        private Builder() {}

        /** The state to go to. */
        public Builder state(QpState value) {
            return set(QpAttribute.STATE, value);
        }

        /** The state that the caller believes the queue pair is in; a mismatch is an error. */
        public Builder currentState(QpState value) {
            return set(QpAttribute.CUR_STATE, value);
        }

        /** Whether to report {@code SQ_DRAINED}. */
        public Builder sqdNotify(boolean value) {
            return set(QpAttribute.EN_SQD_ASYNC_NOTIFY, value ? 1 : 0);
        }

        /** What peers may do through this queue pair. */
        public Builder access(Set<Access> rights) {
            return set(QpAttribute.ACCESS_FLAGS, Access.mask(rights));
        }

        public Builder pKeyIndex(int value) {
            return range(QpAttribute.PKEY_INDEX, value, 0, 0xFFFF);
        }

        public Builder port(int value) {
            return range(QpAttribute.PORT, value, 1, 1);
        }

        public Builder qKey(int value) {
            return set(QpAttribute.QKEY, value);
        }

        public Builder addressVector(AddressVector value) {
            return set(QpAttribute.AV, value);
        }

        /** Path MTU in bytes: 256, 512, 1024, 2048 or 4096. */
        public Builder pathMtu(int bytes) {
            if (bytes < 256 || bytes > 4096 || Integer.bitCount(bytes) != 1) {
                throw new IllegalArgumentException("path MTU " + bytes + " is not one of 256, 512, 1024, 2048, 4096");
            }
            return set(QpAttribute.PATH_MTU, bytes);
        }

        /** Exponent of the ACK time limit: 4.096 us times 2^value; 0 means no limit. */
        public Builder timeout(int value) {
            return range(QpAttribute.TIMEOUT, value, 0, 31);
        }

        public Builder retryCnt(int value) {
            return range(QpAttribute.RETRY_CNT, value, 0, 7);
        }

        /** Retries after RNR; 7 means for ever. */
        public Builder rnrRetry(int value) {
            return range(QpAttribute.RNR_RETRY, value, 0, 7);
        }

        public Builder rqPsn(int value) {
            return range(QpAttribute.RQ_PSN, value, 0, 0xFF_FFFF);
        }

        public Builder sqPsn(int value) {
            return range(QpAttribute.SQ_PSN, value, 0, 0xFF_FFFF);
        }

        /** Reads and atomics kept outstanding as requester. */
        public Builder maxRdAtomic(int value) {
            return range(QpAttribute.MAX_QP_RD_ATOMIC, value, 0, 255);
        }

        /** Reads and atomics served at once as responder. */
        public Builder maxDestRdAtomic(int value) {
            return range(QpAttribute.MAX_DEST_RD_ATOMIC, value, 0, 255);
        }

        /** Code of the RNR timer that this side asks for. */
        public Builder minRnrTimer(int value) {
            return range(QpAttribute.MIN_RNR_TIMER, value, 0, 31);
        }

        public Builder destQpNum(int value) {
            return range(QpAttribute.DEST_QPN, value, 0, 0xFF_FFFF);
        }

        public QpAttributes build() {
            return new QpAttributes(new EnumMap<>(values));
        }

        private Builder range(QpAttribute attribute, int value, int min, int max) {
            if (value < min || value > max) {
                throw new IllegalArgumentException(attribute + " is " + value + "; allowed is " + min + ".." + max);
            }
            return set(attribute, value);
        }

        private Builder set(QpAttribute attribute, Object value) {
            values.put(attribute, value);
            return this;
        }
    }
}
