package io.jrdma.verbs;

import org.jspecify.annotations.Nullable;

/**
 * What both sides of an iWARP connection agreed on.
 *
 * @param revision MPA revision in force
 * @param enhanced whether the enhanced connection data of RFC 6581 was exchanged
 * @param crc whether FPDUs carry a CRC that is checked
 * @param markersSent whether this side inserts markers
 * @param markersReceived whether the peer inserts markers
 * @param peerToPeer whether the peer-to-peer model is in force
 * @param readyToReceive the kind of ready-to-receive message that opens the stream; null outside the peer-to-peer model
 * @param ird Reads of the peer that this side serves at once
 * @param ord Reads that this side keeps outstanding at most
 */
public record MpaNegotiated(
        int revision,
        boolean enhanced,
        boolean crc,
        boolean markersSent,
        boolean markersReceived,
        boolean peerToPeer,
        MpaOptions.@Nullable ReadyToReceive readyToReceive,
        int ird,
        int ord) {}
