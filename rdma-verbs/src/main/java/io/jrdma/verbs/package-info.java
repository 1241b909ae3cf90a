/** The verbs API: devices, registered memory, queue pairs and completions. */
@NullMarked
package io.jrdma.verbs;

import org.jspecify.annotations.NullMarked;
