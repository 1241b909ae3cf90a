package io.jrdma.interop.peer;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Gives the tests of a {@link KernelPeer} class the run's one {@link PeerRig}. Around each test it chooses the guest's
 * driver and captures the traffic. A failing test keeps its capture, and its failure shows the guest's console; a test in
 * which the guest's kernel broke fails, and the next one gets a new guest.
 */
final class KernelPeerExtension implements BeforeEachCallback, AfterEachCallback, ParameterResolver {
    private static final Namespace STORE = Namespace.create(KernelPeerExtension.class);

    /** What is stored for a run is closed by JUnit at its end. */
    private static PeerRig rig(ExtensionContext context) {
        return context.getRoot()
                .getStore(STORE)
                .getOrComputeIfAbsent(
                        PeerRig.class,
                        key -> {
                            PeerRig rig = PeerRig.create();
                            System.out.print("Kernel peers:\n" + rig.versions().indent(2));
                            return rig;
                        },
                        PeerRig.class);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        PeerRig rig = rig(context);
        RdmaLink link = AnnotationSupport.findAnnotation(context.getRequiredTestClass(), KernelPeer.class)
                .orElseThrow()
                .value();
        rig.guest().use(link);
        String method = context.getRequiredTestMethod().getName();
        String display = context.getDisplayName();
        String file = context.getRequiredTestClass().getSimpleName() + "." + method
                + (display.startsWith(method) ? "" : "-" + display.replaceAll("[^A-Za-z0-9.]+", "-"));
        PacketCapture capture =
                PacketCapture.start(rig.namespace(), GuestFiles.logs().resolve(file + ".pcap"));
        context.getStore(STORE).put(PacketCapture.class, capture);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        PeerRig rig = rig(context);
        PacketCapture capture = context.getStore(STORE).remove(PacketCapture.class, PacketCapture.class);
        AssertionError broken = null;
        for (KernelGuest guest : rig.guests()) {
            try {
                guest.endJobs();
                guest.checkHealth();
            } catch (AssertionError e) {
                broken = e;
            }
        }
        boolean failed = context.getExecutionException().isPresent() || broken != null;
        if (capture != null && failed) {
            capture.close();
            String consoles = consoles(rig);
            context.getExecutionException()
                    .ifPresent(e -> e.addSuppressed(
                            new AssertionError("What the failed test leaves: " + capture.file() + "\n" + consoles)));
        } else if (capture != null) {
            capture.discard();
        }
        if (broken != null) {
            throw broken;
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == PeerRig.class || type == KernelGuest.class || type == PeerNamespace.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        PeerRig rig = rig(context);
        Class<?> type = parameter.getParameter().getType();
        if (type == KernelGuest.class) {
            return rig.guest();
        }
        return type == PeerNamespace.class ? rig.namespace() : rig;
    }

    private static String consoles(PeerRig rig) {
        StringBuilder text = new StringBuilder();
        for (KernelGuest guest : rig.guests()) {
            text.append("Console of ").append(guest.address4()).append(":\n");
            text.append(guest.console().tail().indent(4));
        }
        return text.toString();
    }
}
