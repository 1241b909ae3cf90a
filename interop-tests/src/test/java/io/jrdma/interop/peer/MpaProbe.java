package io.jrdma.interop.peer;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * The smallest MPA initiator, made of nothing but a socket and bytes written by hand: sends an enhanced MPA Request
 * (RFC 6581 section 9) and prints the answer. A child process of the self-check: {@code MpaProbe HOST PORT}.
 *
 * <p>It shares no code with the library on purpose: it says whether the peer is fit, whatever state the library is in.
 */
final class MpaProbe {
    private static final int TIMEOUT_MS = 20_000;

    private MpaProbe() {}

    public static void main(String[] arguments) throws IOException {
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(TIMEOUT_MS);
            socket.connect(new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1])), TIMEOUT_MS);
            OutputStream out = socket.getOutputStream();
            // Flags: S alone. Revision 2. Four bytes of private data: IRD 5, ORD 3.
            byte[] request = HexFormat.of()
                    .parseHex(HexFormat.of().formatHex("MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII)) + "1002"
                            + "0004" + "0005" + "0003");
            out.write(request);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            byte[] key = in.readNBytes(16);
            int flags = in.readUnsignedByte();
            int revision = in.readUnsignedByte();
            byte[] privateData = in.readNBytes(in.readUnsignedShort());
            System.out.printf(
                    "%s flags=%02x revision=%d private=%s%n",
                    new String(key, StandardCharsets.US_ASCII),
                    flags,
                    revision,
                    HexFormat.of().formatHex(privateData));
        }
    }
}
