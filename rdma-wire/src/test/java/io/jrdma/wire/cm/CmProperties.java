package io.jrdma.wire.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.Satisfies;
import io.jrdma.testing.WireArbitraries;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.statistics.Statistics;
import net.jqwik.api.statistics.StatisticsReport;

/** What is encoded is decoded again, and any bytes whatsoever are judged without an exception. */
class CmProperties {
    @Satisfies({"IBTA-13.4-1", "IBTA-12.6-8"})
    @Property(tries = 600)
    @StatisticsReport(StatisticsReport.StatisticsReportMode.OFF)
    void everyMessageComesBack(
            @ForAll("messages") CmMessage message, @ForAll("u64") long transactionId, @ForAll("u32") int modifier) {
        CmMad mad = new CmMad(transactionId, modifier, message);
        byte[] bytes = mad.encode();
        assertThat(bytes).hasSize(256);
        assertThat(CmMad.decode(bytes)).isEqualTo(mad);
        Statistics.collect(message.attributeId());
        Statistics.coverage(coverage -> {
            for (int attribute = CmAttribute.REQ; attribute <= CmAttribute.APR; attribute++) {
                coverage.check(attribute).count(count -> count > 5);
            }
        });
    }

    /** Reserved bits are lost, so it is the message that must stay the same, not the bytes. */
    @Property
    void anyBodyIsAMessage(
            @ForAll @IntRange(min = CmAttribute.REQ, max = CmAttribute.APR) int attributeId,
            @ForAll("body") byte[] body) {
        byte[] bytes = new byte[256];
        MadHeader.putCm(MemorySegment.ofArray(bytes), 0, 7, attributeId, 0);
        System.arraycopy(body, 0, bytes, 24, body.length);
        CmDecoded decoded = CmMad.decode(bytes);
        assertThat(decoded).isInstanceOf(CmMad.class);
        CmMad mad = (CmMad) decoded;
        assertThat(mad.message().attributeId()).isEqualTo(attributeId);
        assertThat(CmMad.decode(mad.encode())).isEqualTo(mad);
        CmBytes privateData = mad.message().privateData();
        if (IpCmPrivateData.check(privateData) == CmMalformed.OK) {
            assertThat(IpCmPrivateData.of(privateData)).isNotNull();
        }
    }

    @Property
    void anyBytesAreJudged(@ForAll("garbage") byte[] bytes, @ForAll @IntRange(max = 20) int good) {
        // as much of a right header as chance has it, so that each check is reached
        byte[] header = new byte[24];
        MadHeader.putCm(MemorySegment.ofArray(header), 0, 7, CmAttribute.RTU, 0);
        System.arraycopy(header, 0, bytes, 0, Math.min(good, bytes.length));
        CmDecoded decoded = CmMad.decode(bytes);
        if (decoded instanceof CmDecoded.Refused refused) {
            assertThat(refused.reason()).isNotEqualTo(CmMalformed.OK);
        }
        assertThat(decoded instanceof CmMad)
                .isEqualTo(MadHeader.check(MemorySegment.ofArray(bytes), 0, bytes.length) == CmMalformed.OK);
    }

    @Satisfies("IBTA-A11-1")
    @Property
    void addressesComeBack(
            @ForAll("u16") int port, @ForAll("addresses") byte[][] addresses, @ForAll("consumerData") byte[] consumer) {
        IpCmPrivateData header = new IpCmPrivateData(port, Gid.of(addresses[0]), Gid.of(addresses[1]));
        CmBytes data = header.with(CmBytes.of(consumer));
        assertThat(data.length()).isEqualTo(36 + consumer.length);
        assertThat(IpCmPrivateData.check(data)).isEqualTo(CmMalformed.OK);
        assertThat(IpCmPrivateData.of(data)).isEqualTo(header);
        assertThat(IpCmPrivateData.consumerData(data)).isEqualTo(CmBytes.of(consumer));
        assertThat(Gid.of(addresses[0]).address()).isEqualTo(addresses[0]);
    }

    @Satisfies("IBTA-A11-1")
    @Property
    void anyPrivateDataAreJudged(
            @ForAll("garbage") byte[] bytes, @ForAll @IntRange(max = 2) int major, @ForAll @IntRange(max = 7) int ip) {
        byte[] data = bytes.clone();
        if (data.length > 1) {
            data[0] = (byte) major;
            data[1] = (byte) (ip << 4 | (data[1] & 0xF));
        }
        CmMalformed expected = data.length < 36
                ? CmMalformed.LENGTH
                : major != 0 ? CmMalformed.IP_CM_VERSION : ip == 4 || ip == 6 ? CmMalformed.OK : CmMalformed.IP_VERSION;
        CmBytes privateData = CmBytes.of(data);
        assertThat(IpCmPrivateData.check(privateData)).isEqualTo(expected);
        if (expected == CmMalformed.OK) {
            IpCmPrivateData header = IpCmPrivateData.of(privateData);
            assertThat(header.source().isIpv4() || ip == 6).isTrue();
        }
    }

    @Satisfies("IBTA-A11-2")
    @Property
    void serviceIds(@ForAll("u16") int portSpace, @ForAll("u16") int port) {
        long serviceId = ServiceId.of(portSpace, port);
        assertThat(ServiceId.portSpace(serviceId)).isEqualTo(portSpace);
        assertThat(ServiceId.port(serviceId)).isEqualTo(port);
        assertThat(ServiceId.portSpace(serviceId | 1L << 32)).isEqualTo(-1);
    }

    private static Arbitrary<CmBytes> full(int length) {
        return WireArbitraries.bytesOf(length).map(CmBytes::of);
    }

    private static Arbitrary<Integer> upTo(int max) {
        return Arbitraries.integers().between(0, max);
    }

    private static Arbitrary<Gid> gids() {
        return Arbitraries.oneOf(
                Combinators.combine(WireArbitraries.u64(), WireArbitraries.u64())
                        .as(Gid::new),
                WireArbitraries.u32().map(Gid::ofIpv4));
    }

    private static Arbitrary<CmPath> paths() {
        Arbitrary<int[]> numbers = Combinators.combine(
                        WireArbitraries.u16(), upTo(0xF_FFFF), upTo(63), WireArbitraries.u8(), upTo(15), upTo(31))
                .as((lid, flow, rate, octet, level, timeout) -> new int[] {lid, flow, rate, octet, level, timeout});
        return Combinators.combine(numbers, gids(), gids(), Arbitraries.of(true, false))
                .as((n, local, remote, subnetLocal) -> new CmPath(
                        n[0], ~n[0] & 0xFFFF, local, remote, n[1], n[2], n[3], 255 - n[3], n[4], subnetLocal, n[5]));
    }

    /** Numbers for the fields of a message, to be cut to their size. */
    private static Arbitrary<int[]> numbers() {
        return WireArbitraries.u32().array(int[].class).ofSize(22);
    }

    private static Arbitrary<CmMessage> reqs() {
        return Combinators.combine(numbers(), WireArbitraries.u64(), paths(), paths(), full(92))
                .as((n, wide, primary, alternate, data) -> CmReq.builder()
                        .localCommId(n[0])
                        .vendorId(n[1] & 0xFF_FFFF)
                        .serviceId(wide)
                        .localCaGuid(~wide)
                        .localQKey(n[2])
                        .localQpn(n[3] & 0xFF_FFFF)
                        .responderResources(n[4] & 0xFF)
                        .localEecn(n[5] & 0xFF_FFFF)
                        .initiatorDepth(n[6] & 0xFF)
                        .remoteEecn(n[7] & 0xFF_FFFF)
                        .remoteCmResponseTimeout(n[8] & 31)
                        .transportServiceType(n[9] & 3)
                        .endToEndFlowControl(n[10] < 0)
                        .startingPsn(n[11] & 0xFF_FFFF)
                        .localCmResponseTimeout(n[12] & 31)
                        .retryCount(n[13] & 7)
                        .pKey(n[14] & 0xFFFF)
                        .pathMtu(n[15] & 15)
                        .rdcExists(n[16] < 0)
                        .rnrRetryCount(n[17] & 7)
                        .maxCmRetries(n[18] & 15)
                        .srq(n[19] < 0)
                        .extendedTransportType(n[20] & 7)
                        .primary(primary)
                        .alternate(alternate)
                        .sapSupported(n[21] < 0)
                        .privateData(data)
                        .build());
    }

    private static Arbitrary<CmMessage> reps() {
        return Combinators.combine(numbers(), WireArbitraries.u64(), full(196))
                .as((n, guid, data) -> CmRep.builder()
                        .localCommId(n[0])
                        .remoteCommId(n[1])
                        .localQKey(n[2])
                        .localQpn(n[3] & 0xFF_FFFF)
                        .localEecn(n[4] & 0xFF_FFFF)
                        .startingPsn(n[5] & 0xFF_FFFF)
                        .vendorId(n[6] & 0xFF_FFFF)
                        .responderResources(n[7] & 0xFF)
                        .initiatorDepth(n[8] & 0xFF)
                        .targetAckDelay(n[9] & 31)
                        .failoverAccepted(n[10] & 3)
                        .endToEndFlowControl(n[11] < 0)
                        .rnrRetryCount(n[12] & 7)
                        .srq(n[13] < 0)
                        .localCaGuid(guid)
                        .privateData(data)
                        .build());
    }

    private static Arbitrary<CmMessage> others() {
        Arbitrary<CmMessage> mra = Combinators.combine(numbers(), full(222))
                .as((n, data) -> new CmMra(n[0], n[1], n[2] & 3, n[3] & 31, data));
        Arbitrary<CmMessage> rej = Combinators.combine(numbers(), full(72), full(148))
                .as((n, info, data) -> new CmRej(n[0], n[1], n[2] & 3, n[3] & 127, n[4] & 0xFFFF, info, data));
        Arbitrary<CmMessage> rtu =
                Combinators.combine(numbers(), full(224)).as((n, data) -> new CmRtu(n[0], n[1], data));
        Arbitrary<CmMessage> drep =
                Combinators.combine(numbers(), full(224)).as((n, data) -> new CmDrep(n[0], n[1], data));
        Arbitrary<CmMessage> dreq = Combinators.combine(numbers(), full(220))
                .as((n, data) -> new CmDreq(n[0], n[1], n[2] & 0xFF_FFFF, data));
        Arbitrary<CmMessage> sidrReq = Combinators.combine(numbers(), WireArbitraries.u64(), full(216))
                .as((n, serviceId, data) -> new CmSidrReq(n[0], n[1] & 0xFFFF, serviceId, data));
        Arbitrary<CmMessage> sidrRep = Combinators.combine(numbers(), WireArbitraries.u64(), full(72), full(136))
                .as((n, serviceId, info, data) -> new CmSidrRep(
                        n[0],
                        n[1] & 0xFF,
                        n[2] & 0xFF,
                        n[3] & 0xFF_FFFF,
                        n[4] & 0xFF_FFFF,
                        serviceId,
                        n[5],
                        info,
                        data));
        Arbitrary<CmMessage> lap = Combinators.combine(numbers(), paths(), full(168))
                .as((n, path, data) -> new CmLap(n[0], n[1], n[2] & 0xFF_FFFF, n[3] & 31, path, data));
        Arbitrary<CmMessage> apr = Combinators.combine(numbers(), full(72), full(148))
                .as((n, info, data) -> new CmApr(n[0], n[1], n[2] & 0xFF, n[3] & 0xFF, info, data));
        return Arbitraries.oneOf(mra, rej, rtu, drep, dreq, sidrReq, sidrRep, lap, apr);
    }

    @Provide
    Arbitrary<CmMessage> messages() {
        return Arbitraries.frequencyOf(Tuple.of(2, reqs()), Tuple.of(2, reps()), Tuple.of(9, others()));
    }

    @Provide
    Arbitrary<byte[]> body() {
        return WireArbitraries.bytesOf(232);
    }

    @Provide
    Arbitrary<byte[]> garbage() {
        return Arbitraries.oneOf(
                WireArbitraries.bytes(300),
                Arbitraries.integers().between(254, 257).flatMap(WireArbitraries::bytesOf));
    }

    @Provide
    Arbitrary<byte[]> consumerData() {
        return WireArbitraries.bytes(56);
    }

    @Provide
    Arbitrary<byte[][]> addresses() {
        return Arbitraries.of(4, 16)
                .flatMap(length -> Combinators.combine(WireArbitraries.bytesOf(length), WireArbitraries.bytesOf(length))
                        .as((source, destination) -> new byte[][] {source, destination}))
                .filter(addresses -> Arrays.stream(addresses).noneMatch(CmProperties::isMapped));
    }

    private static boolean isMapped(byte[] address) {
        return address.length == 16 && Gid.of(address).isIpv4();
    }

    @Provide
    Arbitrary<Integer> u16() {
        return WireArbitraries.u16();
    }

    @Provide
    Arbitrary<Integer> u32() {
        return WireArbitraries.u32();
    }

    @Provide
    Arbitrary<Long> u64() {
        return WireArbitraries.u64();
    }
}
