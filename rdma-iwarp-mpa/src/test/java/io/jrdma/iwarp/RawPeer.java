package io.jrdma.iwarp;

import io.jrdma.testkit.engine.TestClock;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.spi.Engine;
import io.jrdma.verbs.spi.PassiveStreamEngine;
import io.jrdma.verbs.spi.StreamParameters;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** One engine, whose peer is the test itself: bytes in, bytes out. */
final class RawPeer {
    final TestClock clock = new TestClock();
    final TestNode node;
    final TestListener log = new TestListener();
    TestEnd end;
    PassiveStreamEngine passive;

    RawPeer() {
        this(TestNode.options());
    }

    RawPeer(QueuePairOptions options) {
        node = new TestNode(clock, options, 33, 1 << 17);
    }

    /** With that memory; all of them have the same key. */
    RawPeer(MemorySegment memory) {
        node = new TestNode(clock, TestNode.options(), 33, memory);
    }

    static StreamParameters parameters(MpaOptions options, int ird, int ord, byte... privateData) {
        return new StreamParameters(options, ird, ord, privateData);
    }

    /** An engine that has connected as the initiator, without CRCs. */
    static RawPeer initiator(int maxUlpdu, QueuePairOptions options, int ord) {
        RawPeer peer = new RawPeer(options);
        peer.initiate(
                parameters(MpaOptions.builder().crc(false).maxUlpdu(maxUlpdu).build(), 4, ord));
        peer.out();
        peer.in(Frames.reply(Frames.S, 2, Frames.enhanced(0, 4, 4)));
        return peer;
    }

    /** The engine is the initiator; its Request is in {@link #out}. */
    RawPeer initiate(StreamParameters parameters) {
        end = new TestEnd(node.device.initiator(node.qp, parameters, log), node);
        end.engine.onOpen(end, clock.nowNs());
        return this;
    }

    /** The engine is the responder. */
    RawPeer listen(MpaOptions options) {
        passive = node.device.responder(options, log);
        end = new TestEnd(passive, node);
        end.engine.onOpen(end, clock.nowNs());
        return this;
    }

    void accept(StreamParameters parameters) {
        passive.accept(node.qp, parameters, clock.nowNs());
    }

    void reject(byte... privateData) {
        passive.reject(privateData, clock.nowNs());
    }

    /** A responder past the handshake, without CRC and markers, that serves and wants 4 Reads; nothing was received behind it. */
    static RawPeer established() {
        return established(new RawPeer(), false);
    }

    static RawPeer established(RawPeer peer, boolean crc) {
        MpaOptions options = MpaOptions.builder().crc(crc).build();
        peer.listen(options);
        peer.in(Frames.request(crc ? Frames.S | Frames.C : Frames.S, 2, Frames.enhanced(0, 4, 4)));
        peer.accept(parameters(options, 4, 4));
        peer.out();
        return peer;
    }

    /** An initiator past the handshake, without CRC and markers, that serves and wants 4 Reads. */
    static RawPeer establishedInitiator() {
        return establishedInitiator(new RawPeer());
    }

    static RawPeer establishedInitiator(RawPeer peer) {
        peer.initiate(parameters(MpaOptions.builder().crc(false).build(), 4, 4));
        peer.out();
        peer.in(Frames.reply(Frames.S, 2, Frames.enhanced(0, 4, 4)));
        return peer;
    }

    /** The peer sends. */
    RawPeer in(byte[]... parts) {
        byte[] bytes = Frames.concat(parts);
        MemorySegment segment = Arena.ofAuto().allocate(Math.max(1, bytes.length));
        MemorySegment.copy(bytes, 0, segment, ValueLayout.JAVA_BYTE, 0, bytes.length);
        end.receive(segment, 0, bytes.length);
        // the segment was only lent
        segment.fill((byte) 0xEE);
        return this;
    }

    /** The peer sends one byte a segment. */
    RawPeer inByteByByte(byte[]... parts) {
        for (byte one : Frames.concat(parts)) {
            in(new byte[] {one});
        }
        return this;
    }

    void fin() {
        end.endOfStream();
        run();
    }

    void gone() {
        end.gone();
        run();
    }

    /** What the engine sends now. */
    byte[] out() {
        run();
        return end.out.takeAll();
    }

    void run() {
        while (node.driver.runTasks() | end.poll()) {
            // again
        }
        // the system closes what was asked for; the peer here is quick
        if (end.resetCalled && !end.closed) {
            end.gone();
        }
    }

    /** The engine asked for a close, and the peer answers it. */
    void finishClose() {
        run();
        if (end.closing && !end.closed) {
            end.gone();
        }
    }

    void advance(long ns) {
        long until = clock.nowNs() + ns;
        run();
        for (long next = end.deadline(); next != Engine.NO_DEADLINE && next <= until; next = end.deadline()) {
            clock.advanceTo(next);
            end.engine.onTimeout(clock.nowNs());
            run();
        }
        clock.advanceTo(until);
        if (!end.closed) {
            end.engine.onTimeout(clock.nowNs());
        }
        run();
    }
}
