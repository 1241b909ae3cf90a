package io.jrdma.interop.peer;

import java.util.Locale;

/** The RDMA drivers of the guest. Both sit on one network device, so a test keeps only the one that it is about. */
public enum RdmaLink {
    /** iWARP over the kernel's TCP. */
    SIW,
    /** RoCEv2 over the kernel's UDP. */
    RXE;

    /** The driver's name for {@code rdma link add}. */
    String type() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The name of the guest's device. */
    public String device() {
        return type() + "0";
    }
}
