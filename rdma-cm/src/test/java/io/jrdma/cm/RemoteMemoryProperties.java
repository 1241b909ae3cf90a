package io.jrdma.cm;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class RemoteMemoryProperties {
    @Property
    void bytesMeanTheSameAgain(@ForAll long address, @ForAll int key, @ForAll("lengths") long length) {
        RemoteMemory memory = new RemoteMemory(address, key, length);
        assertThat(RemoteMemory.of(memory.toBytes())).isEqualTo(memory);
    }

    @Provide
    Arbitrary<Long> lengths() {
        return Arbitraries.longs().greaterOrEqual(0);
    }
}
