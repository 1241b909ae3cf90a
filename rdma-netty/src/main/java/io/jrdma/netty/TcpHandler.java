package io.jrdma.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownException;
import java.io.IOException;

/** The one handler of a connection's pipeline: hands what Netty says to the {@link TcpStream}. */
final class TcpHandler extends ChannelInboundHandlerAdapter {
    private final TcpStream stream;

    TcpHandler(TcpStream stream) {
        this.stream = stream;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        stream.onActive();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        stream.onInactive();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        try {
            stream.onBytes(bytes);
        } finally {
            bytes.release();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (context.channel().isWritable()) {
            stream.onWritable();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == ChannelInputShutdownEvent.INSTANCE) {
            stream.onEndOfStream();
        } else if (event == ChannelOutputShutdownEvent.INSTANCE) {
            stream.onOutputEnded();
        }
    }

    @Override
    @SuppressWarnings("deprecation") // inbound, which is what this handler is
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof ChannelOutputShutdownException) {
            stream.onOutputEnded();
        } else if (cause instanceof IOException) {
            stream.onBroken(cause);
        } else {
            stream.onFault(cause);
        }
    }
}
