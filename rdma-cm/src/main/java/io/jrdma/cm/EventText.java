package io.jrdma.cm;

/** How events with private data print. */
final class EventText {
    private EventText() {}

    static String of(RdmaCmEvent event) {
        return event.getClass().getSimpleName() + "[id=" + event.id() + ", status=" + event.status() + ", privateData="
                + event.privateData().length + " bytes, responderResources=" + event.responderResources()
                + ", initiatorDepth=" + event.initiatorDepth()
                + (event.text().isEmpty() ? "" : ", " + event.text()) + "]";
    }
}
