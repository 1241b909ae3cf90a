package io.jrdma.interop.peer;

import java.time.Duration;

/** A background command in a guest. */
public final class GuestJob {
    private static final String DIRECTORY = "/tmp/jobs/";

    private final KernelGuest guest;
    private final String script;
    private final String path;
    private boolean ended;

    private GuestJob(KernelGuest guest, String script, String path) {
        this.guest = guest;
        this.script = script;
        this.path = path;
    }

    static GuestJob start(KernelGuest guest, int number, String script, Duration limit) {
        String path = DIRECTORY + number;
        // The limit's watcher leads a process group of its own with the script in it, so that one signal reaches all.
        guest.run("mkdir -p " + DIRECTORY + "\ncat >" + path + ".sh <<'END_OF_SCRIPT'\n" + script + "\nEND_OF_SCRIPT\n"
                + "{ timeout -k 2 " + Math.max(1, limit.toSeconds()) + " sh " + path + ".sh >" + path
                + ".out 2>&1 </dev/null & echo $! >" + path + ".pid; wait $!; echo $? >" + path + ".tmp; mv " + path
                + ".tmp "
                + path + ".code; } >/dev/null 2>&1 &");
        return new GuestJob(guest, script, path);
    }

    /** The file that holds the exit code once the job has ended. */
    String codeFile() {
        return path + ".code";
    }

    /** What the job has printed so far. */
    public String output() {
        return guest.run("cat " + path + ".out");
    }

    /** Waits for the end of the job, which is an error of the test if it does not come within the limit. */
    public Outcome await(Duration limit) {
        Outcome waited = guest.run("until [ -e " + codeFile() + " ]; do sleep 0.1; done; cat " + codeFile(), limit);
        if (waited.exitCode() != 0) {
            guest.checkHealth();
            throw new GuestFailure(
                    "'" + script + "' has not ended after " + limit + ", having printed:\n" + output().indent(4),
                    guest.console().tail());
        }
        ended = true;
        return new Outcome(script, Integer.parseInt(waited.output().strip()), output());
    }

    /** Ends the job if it still runs. */
    public void kill() {
        if (!ended) {
            ended = true;
            guest.run("[ -e " + codeFile() + " ] || kill $(cat " + path + ".pid)\n" + "until [ -e " + codeFile()
                    + " ]; do sleep 0.1; done");
        }
    }
}
