package io.jrdma.cm.ib;

/** What becomes of a {@link SidrRequest}: exactly one call, on the loop; none once it was cancelled. */
public interface SidrEvents {
    /** {@code ESTABLISHED}: datagrams go to that queue pair with that Q_Key. */
    void onResolved(int qpNum, int qKey, byte[] privateData);

    /** {@code UNREACHABLE}: -ETIMEDOUT, or the status of the SIDR_REP, a positive number. */
    void onUnreachable(int status, byte[] privateData, String text);
}
