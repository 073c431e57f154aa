import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Fills its memory as its standard input says, one command a line, and answers with one line each. */
public class Filler {
    static final int KEPT_BYTES = 10_000;
    static final int DROPPED_BYTES = 1_000;
    static final int DROPPED_PER_KEPT = 20;
    static final List<byte[]> KEPT = new ArrayList<>();
    static final List<ByteBuffer> OUTSIDE = new ArrayList<>();
    static volatile Object sink;

    public static void main(String[] arguments) throws Exception {
        System.out.println("READY");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) answer(line.split(" "));
    }

    static void answer(String[] words) throws Exception {
        switch (words[0]) {
            case "hold": hold(Integer.parseInt(words[1])); break;
            case "grow": grow(Integer.parseInt(words[1]), Integer.parseInt(words[2]), Integer.parseInt(words[3])); break;
            case "churn": churn(Long.parseLong(words[1])); break;
            case "litter": litter(Integer.parseInt(words[1]), Integer.parseInt(words[2])); break;
            case "collect": System.gc(); System.out.println("COLLECTED"); break;
            case "drop": KEPT.clear(); System.out.println("DROPPED"); break;
            case "overflow": overflow(); break;
            case "outside": outside(Integer.parseInt(words[1]), Integer.parseInt(words[2])); break;
            case "exit": System.exit(0); break;
            default: System.out.println("UNKNOWN " + words[0]);
        }
    }

    /** Holds so many percent of the heap, with twice as much garbage made on the way. */
    static void hold(int percent) {
        long wanted = Runtime.getRuntime().maxMemory() / 100 * percent / KEPT_BYTES;
        while (KEPT.size() < wanted) keepOne();
        System.out.println("HELD " + KEPT.size());
    }

    /** From so many percent of the heap to so many in so many seconds, or until it is full. */
    static void grow(int from, int to, int seconds) throws Exception {
        long percent = Runtime.getRuntime().maxMemory() / 100 / KEPT_BYTES;
        long began = System.nanoTime();
        try {
            while (KEPT.size() < to * percent) {
                double share = (System.nanoTime() - began) / 1e9 / seconds;
                if (KEPT.size() < (from + (to - from) * share) * percent) keepOne();
                else Thread.sleep(1);
            }
            System.out.println("GROWN " + KEPT.size() / percent);
        } catch (OutOfMemoryError error) {
            long reached = KEPT.size() / percent;
            KEPT.clear();
            System.out.println("GROWN " + reached);
        }
    }

    static void keepOne() {
        for (int i = 0; i < DROPPED_PER_KEPT; i++) sink = new byte[DROPPED_BYTES];
        KEPT.add(new byte[KEPT_BYTES]);
    }

    /** So many megabytes of garbage. */
    static void churn(long megabytes) {
        for (long made = 0; made < megabytes << 20; made += DROPPED_BYTES) sink = new byte[DROPPED_BYTES];
        System.out.println("CHURNED");
    }

    /** Garbage as fast as two threads can make it, for so many seconds; the newest so many percent of the heap are held meanwhile. */
    static void litter(int seconds, int heldPercent) throws Exception {
        long until = System.nanoTime() + seconds * 1_000_000_000L;
        int held = (int) (Runtime.getRuntime().maxMemory() / 100 * heldPercent / DROPPED_BYTES / 2);
        Runnable makes = () -> {
            Object[] newest = new Object[held];
            for (int i = 0; System.nanoTime() < until; i = (i + 1) % held) newest[i] = new byte[DROPPED_BYTES];
        };
        Thread other = new Thread(makes);
        other.start();
        makes.run();
        other.join();
        System.out.println("LITTERED");
    }

    static void overflow() {
        try {
            while (true) keepOne();
        } catch (OutOfMemoryError error) {
            int count = KEPT.size();
            KEPT.clear();
            System.out.println("FULL " + count);
        }
    }

    /** So many megabytes outside of the heap, one every so many milliseconds, each touched. */
    static void outside(int megabytes, int pauseMs) throws Exception {
        for (int i = 0; i < megabytes; i++) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);
            for (int at = 0; at < buffer.capacity(); at += 4096) buffer.put(at, (byte) 1);
            OUTSIDE.add(buffer);
            Thread.sleep(pauseMs);
        }
        System.out.println("OUTSIDE " + OUTSIDE.size());
    }
}
