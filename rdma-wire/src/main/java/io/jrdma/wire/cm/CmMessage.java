package io.jrdma.wire.cm;

/** A message of communication management. */
public sealed interface CmMessage
        permits CmReq, CmMra, CmRej, CmRep, CmRtu, CmDreq, CmDrep, CmSidrReq, CmSidrRep, CmLap, CmApr {

    /** Which message it is: a constant of {@link CmAttribute}. */
    int attributeId();

    /** The data of the consumer, up to the message's {@code PRIVATE_DATA_MAX} bytes. */
    CmBytes privateData();
}
