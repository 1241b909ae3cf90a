/**
 * InfiniBand transport packets as RoCEv2 carries them: BTH, extended headers, opcodes, ICRC, and the GRH that datagram receivers get
 * (IBTA volume 1, chapters 5, 8 and 9, annexes A14, A17 and A19).
 *
 * <p>A packet is the payload of a UDP datagram: BTH, extended headers, payload, 0 to 3 bytes of pad, four bytes of ICRC.
 * {@link io.jrdma.wire.ib.RoceV2Packet#check} looks at one once; {@link io.jrdma.wire.ib.IbOpcode} says which headers an opcode has and
 * where. In header classes {@code at} is the first byte of that header. Depends on {@code io.jrdma.wire} and on nothing else.
 */
@NullMarked
package io.jrdma.wire.ib;

import org.jspecify.annotations.NullMarked;
