/**
 * Registered memory: the key table and the one guarded way to read and write a region. Used by transports; applications use
 * {@link io.jrdma.verbs.MemoryRegion}.
 */
@NullMarked
package io.jrdma.verbs.memory;

import org.jspecify.annotations.NullMarked;
