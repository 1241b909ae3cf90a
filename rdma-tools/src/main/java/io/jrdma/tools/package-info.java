/** The jrdma command. */
@NullMarked
package io.jrdma.tools;

import org.jspecify.annotations.NullMarked;
