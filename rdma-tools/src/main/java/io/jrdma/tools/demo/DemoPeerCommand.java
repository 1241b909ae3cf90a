package io.jrdma.tools.demo;

import io.jrdma.cm.ConnectionParameters;
import io.jrdma.cm.RdmaCmEvent;
import io.jrdma.cm.RdmaCmId;
import io.jrdma.cm.RdmaEventChannel;
import io.jrdma.cm.RemoteMemory;
import io.jrdma.tools.Completions;
import io.jrdma.tools.ExitCode;
import io.jrdma.tools.RoceMixin;
import io.jrdma.tools.ToolCommand;
import io.jrdma.tools.ToolException;
import io.jrdma.verbs.MemoryRegion;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WorkCompletion;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * The demo's second process, the passive side. It takes orders from its parent on standard input, a number and words, and answers each with
 * that number, {@code ok} or {@code failed}, and words. When its input ends, it ends.
 */
@Command(name = "demo-peer", hidden = true, description = "The second process of the demo.")
public final class DemoPeerCommand extends ToolCommand {
    @Mixin
    private RoceMixin roce = new RoceMixin();

    private @Nullable RdmaEventChannel events;
    private @Nullable RdmaCmId listener;
    private @Nullable DemoLink link;
    private @Nullable MemoryRegion window;
    private String number = "";

    @Override
    public Integer call() throws IOException, InterruptedException {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (RdmaEventChannel channel = RdmaEventChannel.create(roce.device(DemoLink.PATIENCE))) {
            events = channel;
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                String[] words = order.split(" ", -1);
                number = words[0];
                try {
                    answer("ok " + carryOut(Arrays.copyOfRange(words, 1, words.length)));
                } catch (ToolException | VerbsException failure) {
                    answer("failed " + failure.getMessage());
                }
            }
        }
        return ExitCode.DONE;
    }

    /** Answers carry the number of the order, so that none is taken for the answer to another one. */
    private void answer(String text) {
        print(number + " " + text);
    }

    private String carryOut(String[] order) throws IOException, InterruptedException {
        return switch (order[0]) {
            case "listen" -> listen(order[1], InetAddress.getByName(order[2]));
            case "accept" -> accept(HexFormat.of().parseHex(order[1]));
            case "reject" -> reject(HexFormat.of().parseHex(order[1]));
            case "memory" -> hex(RemoteMemory.of(link().region()));
            case "window" -> window();
            case "fill" -> fill(count(order[1]), count(order[2]));
            case "check" -> check(count(order[1]), count(order[2]));
            case "receive" -> receive(count(order[1]), count(order[2]));
            case "received" -> received(count(order[1]), count(order[2]));
            case "received-invalidate" -> receivedInvalidate();
            case "arm-solicited" -> armSolicited();
            case "received-unnoticed" -> receivedUnnoticed();
            case "received-noticed" -> receivedNoticed();
            case "ended" -> ended(count(order[1]));
            default -> throw new IllegalArgumentException("order " + order[0]);
        };
    }

    private String listen(String transport, InetAddress address) {
        if (listener != null) {
            listener.close();
        }
        if (link != null) {
            link.close();
            link = null;
        }
        RdmaCmId id = channel().createId(Transport.valueOf(transport));
        listener = id;
        id.bind(new InetSocketAddress(address, 0));
        id.listen(1);
        return String.valueOf(Objects.requireNonNull(id.localAddress()).getPort());
    }

    /** The answer goes out at once, because the request comes only behind it. */
    private String accept(byte[] privateData) throws InterruptedException {
        answer("ok");
        RdmaCmEvent.ConnectRequest request = DemoLink.await(channel(), RdmaCmEvent.ConnectRequest.class);
        DemoLink accepted = new DemoLink(channel(), request.id());
        link = accepted;
        request.id()
                .accept(ConnectionParameters.builder().privateData(privateData).build());
        accepted.await(RdmaCmEvent.Established.class);
        return HexFormat.of().formatHex(request.privateData());
    }

    private String reject(byte[] privateData) throws InterruptedException {
        answer("ok");
        RdmaCmEvent.ConnectRequest request = DemoLink.await(channel(), RdmaCmEvent.ConnectRequest.class);
        request.id().reject(privateData);
        request.id().close();
        return HexFormat.of().formatHex(request.privateData());
    }

    private String window() {
        MemoryRegion fresh = link().registerForInvalidation(4096);
        window = fresh;
        return hex(RemoteMemory.of(fresh));
    }

    private String fill(int bytes, int seed) {
        DemoData.fill(link().region().segment().asSlice(0, bytes), seed);
        return "";
    }

    private String check(int bytes, int seed) {
        DemoData.check("the peer's memory", link().region().segment().asSlice(0, bytes), seed);
        return "";
    }

    private String receive(int bytes, int pieces) {
        link().region().segment().asSlice(0, bytes).fill((byte) 0);
        link().postReceive(bytes, pieces);
        return "";
    }

    private String received(int bytes, int seed) throws InterruptedException {
        WorkCompletion completion = link().completions().await(WcOpcode.RECV, WcOpcode.RECV);
        if (completion.byteLength() != bytes) {
            throw ToolException.failed("a message of " + completion.byteLength() + " bytes came, expected " + bytes);
        }
        return check(bytes, seed);
    }

    private String receivedInvalidate() throws InterruptedException {
        WorkCompletion completion = link().completions().await(WcOpcode.RECV, WcOpcode.RECV);
        int key = Objects.requireNonNull(window).remoteKey();
        if ((completion.flags() & WorkCompletion.WITH_INV) == 0 || completion.invalidatedKey() != key) {
            throw ToolException.failed(
                    completion + " does not tell that key 0x" + Integer.toHexString(key) + " was invalidated");
        }
        return "";
    }

    private String armSolicited() {
        link().completions().queue().arm(true);
        return "";
    }

    /** A message that is not solicited arrives without an event. */
    private String receivedUnnoticed() throws InterruptedException {
        Completions completions = link().completions();
        long end = System.nanoTime() + DemoLink.PATIENCE.toNanos();
        while (!completions.isAnyThere()) {
            if (System.nanoTime() - end > 0) {
                throw ToolException.failed("the message did not come");
            }
            Thread.onSpinWait();
        }
        completions.await(WcOpcode.RECV, WcOpcode.RECV);
        if (completions.channel().await(Duration.ZERO) != null) {
            throw ToolException.failed("a message that was not solicited made an event");
        }
        return "";
    }

    /** A solicited one makes the event. */
    private String receivedNoticed() throws InterruptedException {
        Completions completions = link().completions();
        if (completions.channel().await(DemoLink.PATIENCE) == null) {
            throw ToolException.failed("a solicited message made no event");
        }
        completions.await(WcOpcode.RECV, WcOpcode.RECV);
        return "";
    }

    private String ended(int receivesLeft) throws InterruptedException {
        try (DemoLink over = link()) {
            over.awaitEnd(receivesLeft);
        }
        link = null;
        return "";
    }

    private RdmaEventChannel channel() {
        return Objects.requireNonNull(events);
    }

    private DemoLink link() {
        return Objects.requireNonNull(link, "no connection");
    }

    private static int count(String text) {
        return Integer.parseInt(text);
    }

    private static String hex(RemoteMemory memory) {
        return HexFormat.of().formatHex(memory.toBytes());
    }
}
