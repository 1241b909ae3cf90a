/** The {@code jrdma} command as its users start it: {@code bin/jrdma}, in processes of its own. */
package io.jrdma.interop.tools;
