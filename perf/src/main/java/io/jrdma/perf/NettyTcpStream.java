package io.jrdma.perf;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;

/**
 * The yardstick: plain Netty TCP, one event loop a side, the same buffer written over and over, nothing done with what arrives. It has
 * no framing, no checksum and no copy into registered memory.
 */
final class NettyTcpStream implements ByteStream {
    private static final int RECEIVE_BYTES = 256 * 1024;

    private final MultiThreadIoEventLoopGroup senderLoop = new MultiThreadIoEventLoopGroup(1, loops());
    private final MultiThreadIoEventLoopGroup receiverLoop = new MultiThreadIoEventLoopGroup(1, loops());
    private final Channel listener;
    private final Channel sender;
    private final Receiver receiver = new Receiver();

    NettyTcpStream() {
        listener = new ServerBootstrap()
                .group(receiverLoop)
                .channel(Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(RECEIVE_BYTES))
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(receiver);
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .syncUninterruptibly()
                .channel();
        sender = new Bootstrap()
                .group(senderLoop)
                .channel(Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(new Sender())
                .connect(listener.localAddress())
                .syncUninterruptibly()
                .channel();
    }

    private static IoHandlerFactory loops() {
        return Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    }

    @Override
    public String name() {
        return "Netty TCP";
    }

    @Override
    public void move(int messageBytes, long totalBytes) throws InterruptedException {
        CountDownLatch arrived = receiver.expect(totalBytes);
        sender.pipeline().fireUserEventTriggered(new Order(messageBytes, totalBytes));
        arrived.await();
    }

    @Override
    public void close() {
        sender.close().syncUninterruptibly();
        listener.close().syncUninterruptibly();
        senderLoop.shutdownGracefully().syncUninterruptibly();
        receiverLoop.shutdownGracefully().syncUninterruptibly();
    }

    private record Order(int messageBytes, long totalBytes) {}

    /** Writes as long as the channel takes more. */
    private static final class Sender extends ChannelInboundHandlerAdapter {
        private ByteBuf message = Unpooled.EMPTY_BUFFER;
        private long left;

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            Order order = (Order) event;
            message.release();
            message = context.alloc().directBuffer(order.messageBytes()).writeZero(order.messageBytes());
            left = order.totalBytes();
            write(context);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            if (context.channel().isWritable()) {
                write(context);
            }
        }

        private void write(ChannelHandlerContext context) {
            while (left > 0 && context.channel().isWritable()) {
                left -= message.readableBytes();
                var _ = context.write(message.retainedDuplicate(), context.voidPromise());
            }
            context.flush();
        }

        @Override
        public void handlerRemoved(ChannelHandlerContext context) {
            message.release();
            message = Unpooled.EMPTY_BUFFER;
        }
    }

    /** Counts bytes. */
    private static final class Receiver extends ChannelInboundHandlerAdapter {
        private volatile long left;
        private volatile CountDownLatch arrived = new CountDownLatch(0);

        CountDownLatch expect(long bytes) {
            arrived = new CountDownLatch(1);
            left = bytes;
            return arrived;
        }

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // one writer at a time: the loop, between two orders
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            left -= bytes.readableBytes();
            bytes.release();
            if (left == 0) {
                arrived.countDown();
            }
        }
    }
}
