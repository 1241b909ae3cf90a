package io.jrdma.interop.peer;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The tests of this class talk to a kernel guest: they may take a {@link PeerRig}, {@link KernelGuest} or
 * {@link PeerNamespace} as parameter. Run by {@code mvn verify -Pkernel-peers}, as root.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("kernel-peer")
@ExtendWith(KernelPeerExtension.class)
public @interface KernelPeer {
    /** The guest's only RDMA driver while a test of this class runs. */
    RdmaLink value();
}
