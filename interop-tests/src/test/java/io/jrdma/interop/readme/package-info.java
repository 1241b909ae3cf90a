/** What README says, tried. */
@NullMarked
package io.jrdma.interop.readme;

import org.jspecify.annotations.NullMarked;
