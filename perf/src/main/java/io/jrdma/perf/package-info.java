/** Benchmarks. */
@NullMarked
package io.jrdma.perf;

import org.jspecify.annotations.NullMarked;
