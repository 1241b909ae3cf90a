/** Devices on Netty event loops. */
module io.jrdma.netty {
    requires transitive io.jrdma.verbs;
    requires transitive io.jrdma.cm;
    requires io.jrdma.iwarp;
    requires io.jrdma.wire;
    requires io.netty.buffer;
    requires io.netty.common;
    requires io.netty.transport;
    requires static io.netty.transport.classes.epoll;
    requires static io.netty.transport.unix.common;
    requires static io.netty.transport.classes.io_uring;
    requires jdk.net;
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports io.jrdma.netty;

    provides io.jrdma.verbs.spi.DriverProvider with
            io.jrdma.netty.NettyDriverProvider;
}
