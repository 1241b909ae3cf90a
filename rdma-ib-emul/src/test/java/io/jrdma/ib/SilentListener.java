package io.jrdma.ib;

import io.jrdma.verbs.spi.ManagementListener;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;

/** Connection management that does nothing; for tests that want to hear of one thing. */
abstract class SilentListener implements ManagementListener {
    @Override
    public void onDatagram(InetAddress from, MemorySegment segment, long offset, int length, long nowNs) {}

    @Override
    public void onCommunicationEstablished(int qpNum, long nowNs) {}

    @Override
    public void onQueuePairFault(int qpNum, long nowNs) {}

    @Override
    public void onTimeout(long nowNs) {}

    @Override
    public void onClosed(long nowNs) {}
}
