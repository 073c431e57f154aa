import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Locale;

/**
 * What the programs of the accounts benchmark share: a fixed number of equal rounds of work, first to warm up, then timed.
 *
 * Why equal rounds: each must come to the same checksum, so a round that went wrong (an instrumented class that does something else, a broken
 * output) is noticed in the program itself. Why a fixed number: time per work is compared, not work per time, so that what a round leaves
 * behind is the same in all variants.
 *
 *   arguments: warmups=N rounds=N
 *   stdout:    FIRST wall_ms cpu_ms           from the start of the VM to the end of the first round
 *              TIMED rounds wall_ms cpu_ms allocated_bytes checksum
 *   stdin:     any line ends the program
 */
final class Rounds {
    /** One program; its constructor makes the input, from a seed of its own. */
    interface Program {
        /** A round of work, the same each time; returns the checksum of its output, throws if the output cannot be right. */
        long round() throws Exception;

        /** Gives back what the input took. */
        default void end() throws Exception { }
    }

    private static final com.sun.management.OperatingSystemMXBean PROCESS =
        (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final com.sun.management.ThreadMXBean THREADS = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final double NS_PER_MS = 1e6;

    private Rounds() { }

    static void run(Program program, String[] arguments) throws Exception {
        int warmups = number(arguments, "warmups");
        int rounds = number(arguments, "rounds");
        try {
            long checksum = program.round();
            long first = System.currentTimeMillis() - ManagementFactory.getRuntimeMXBean().getStartTime();
            say("FIRST %d %.0f", first, PROCESS.getProcessCpuTime() / NS_PER_MS);
            repeat(program, warmups - 1, checksum);
            long allocated = allocatedBytes();
            long cpu = PROCESS.getProcessCpuTime();
            long wall = System.nanoTime();
            repeat(program, rounds, checksum);
            wall = System.nanoTime() - wall;
            cpu = PROCESS.getProcessCpuTime() - cpu;
            say("TIMED %d %.1f %.1f %d %016x", rounds, wall / NS_PER_MS, cpu / NS_PER_MS, allocatedBytes() - allocated, checksum);
            waitForLine();
        } finally {
            program.end();
        }
    }

    private static void repeat(Program program, int times, long expected) throws Exception {
        for (int i = 0; i < times; i++) {
            long checksum = program.round();
            check(checksum == expected, "a round's checksum is %016x, the first one's was %016x", checksum, expected);
        }
    }

    static void check(boolean right, String format, Object... values) {
        if (!right) {
            throw new IllegalStateException(String.format(Locale.ROOT, format, values));
        }
    }

    /** Of the threads that live: the programs keep theirs. */
    private static long allocatedBytes() {
        return Arrays.stream(THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds())).filter(bytes -> bytes > 0).sum();
    }

    private static int number(String[] arguments, String key) {
        String start = key + "=";
        return Arrays.stream(arguments).filter(a -> a.startsWith(start)).mapToInt(a -> Integer.parseInt(a.substring(start.length()))).findAny()
            .orElse(1);
    }

    private static void say(String format, Object... values) {
        System.out.println(String.format(Locale.ROOT, format, values));
        System.out.flush();
    }

    private static void waitForLine() throws IOException {
        for (int read = System.in.read(); read >= 0 && read != '\n'; read = System.in.read()) { }
    }
}
