import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.concurrent.atomic.AtomicLong;

/** Measures the longest time that the program stood still, and answers on standard input. */
final class Gap {
    private static final AtomicLong LONGEST = new AtomicLong();

    private Gap() {}

    private static void measure() {
        long last = System.nanoTime();
        while (true) {
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                return;
            }
            long now = System.nanoTime();
            long gap = now - last;
            LONGEST.accumulateAndGet(gap, Math::max);
            last = now;
        }
    }

    /** Says READY, then answers "gap" with the longest gap since the last answer, until the input ends. */
    static void serve() throws IOException {
        Thread sampler = new Thread(Gap::measure, "gap");
        sampler.setDaemon(true);
        sampler.setPriority(Thread.MAX_PRIORITY);
        sampler.start();
        System.out.println("READY");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            System.out.println(line.equals("gap") ? "gap " + LONGEST.getAndSet(0) / 1000 : "unknown " + line);
        }
        System.exit(0);
    }
}
