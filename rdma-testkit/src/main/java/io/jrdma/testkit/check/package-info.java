/** What must hold in every simulated run, whatever the transport. */
@NullMarked
package io.jrdma.testkit.check;

import org.jspecify.annotations.NullMarked;
