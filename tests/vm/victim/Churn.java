import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntUnaryOperator;

/**
 * Loads and drops classes, has them compiled, starts and ends threads, allocates, without end; and holds a graph that never changes. Words: "go", "rest",
 * "check". Java 8.
 */
public class Churn {
    /** The graph that never changes, behind a class that has nothing else. */
    public static final class Fixed {
        static final Object GRAPH = graph();
    }

    static final class Leaf {
        final int number;
        final Object[] around;
        Leaf next;

        Leaf(int number, Leaf next) {
            this.number = number;
            this.next = next;
            around = new Object[] {this, new byte[number % 50], number % 7 == 0 ? null : "leaf " + number};
        }
    }

    static Object graph() {
        Map<String, Object> parts = new TreeMap<>();
        Leaf last = null;
        List<Leaf> leaves = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) leaves.add(last = new Leaf(i, last));
        leaves.get(0).next = last;
        parts.put("leaves", leaves);
        Map<Integer, Object> map = new HashMap<>();
        for (int i = 0; i < 5_000; i++) map.put(i * 31, i % 2 == 0 ? leaves.get(i) : new long[] {i});
        parts.put("map", map);
        Object[] saturated = new Object[40_000];
        for (int i = 0; i < saturated.length; i += 3) saturated[i] = leaves.get(i % leaves.size());
        parts.put("saturated", saturated);
        parts.put("deep", new Object[][][] {{{leaves, map}, {}}, {{saturated}}});
        return parts;
    }

    static final AtomicLong ROUNDS = new AtomicLong();
    static final List<Thread> THREADS = new ArrayList<>();
    static volatile boolean going;

    public static class Work implements IntUnaryOperator {
        static int calls;
        final Object kept = new Object[] {this, Work.class};

        @Override
        public int applyAsInt(int value) {
            calls++;
            int sum = value;
            for (int i = 0; i < 50; i++) sum = sum * 31 + (i ^ value);
            return kept == null ? 0 : sum;
        }
    }

    static final class Definer extends ClassLoader {
        static final byte[] CODE = code();

        Definer() {
            super(Churn.class.getClassLoader());
        }

        IntUnaryOperator work() throws ReflectiveOperationException {
            return (IntUnaryOperator) defineClass("Churn$Work", CODE, 0, CODE.length).getConstructor().newInstance();
        }

        static byte[] code() {
            try (InputStream in = Churn.class.getResourceAsStream("Churn$Work.class")) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                for (int c; (c = in.read()) >= 0; ) out.write(c);
                return out.toByteArray();
            } catch (IOException error) {
                throw new IllegalStateException(error);
            }
        }
    }

    /** Some classes live for a while, most are dropped at once; each is called often enough to be compiled. */
    static void loadAndCompile() throws ReflectiveOperationException {
        ArrayDeque<IntUnaryOperator> some = new ArrayDeque<>();
        int sum = 0;
        while (going) {
            IntUnaryOperator work = new Definer().work();
            for (int i = 0; i < 3_000; i++) sum += work.applyAsInt(i);
            some.add(work);
            if (some.size() > 50) some.remove();
            ROUNDS.incrementAndGet();
        }
        if (sum == 42) System.out.println("unlikely");
    }

    static void startAndEnd() throws InterruptedException {
        ThreadLocal<Object> local = new ThreadLocal<>();
        while (going) {
            Thread[] few = new Thread[4];
            for (int i = 0; i < few.length; i++) {
                few[i] = new Thread(() -> local.set(new Object[100]));
                few[i].start();
            }
            for (Thread one : few) one.join();
            ROUNDS.incrementAndGet();
        }
    }

    static void allocate() throws InterruptedException {
        Object[] window = new Object[20_000];
        for (int i = 0; going; i = (i + 1) % window.length) {
            window[i] = i % 3 == 0 ? new byte[i % 300] : new Object[] {window[(i * 7) % window.length] instanceof byte[] ? null : "x", i};
            if (i == 0) Thread.sleep(1);
            ROUNDS.incrementAndGet();
        }
    }

    interface Doing {
        void run() throws Exception;
    }

    static void start(String name, Doing doing) {
        Thread thread = new Thread(() -> {
            try {
                doing.run();
            } catch (Exception error) {
                System.out.println("BROKEN " + error);
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
        THREADS.add(thread);
    }

    static void go() {
        going = true;
        start("load", Churn::loadAndCompile);
        start("threads", Churn::startAndEnd);
        start("allocate", Churn::allocate);
    }

    static void rest() throws InterruptedException {
        going = false;
        for (Thread thread : THREADS) thread.join();
        THREADS.clear();
        System.gc();
    }

    static boolean sound() {
        Map<?, ?> parts = (Map<?, ?>) Fixed.GRAPH;
        List<?> leaves = (List<?>) parts.get("leaves");
        Object[] saturated = (Object[]) parts.get("saturated");
        for (int i = 0; i < leaves.size(); i++) {
            Leaf leaf = (Leaf) leaves.get(i);
            if (leaf.number != i || leaf.around[0] != leaf || leaf.next != leaves.get(i == 0 ? leaves.size() - 1 : i - 1)) return false;
        }
        for (int i = 0; i < saturated.length; i++)
            if (saturated[i] != (i % 3 == 0 ? leaves.get(i % leaves.size()) : null)) return false;
        return true;
    }

    public static void main(String[] arguments) throws Exception {
        if (!sound()) throw new IllegalStateException();
        System.out.println("READY");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) {
            if (line.equals("go")) go();
            if (line.equals("rest")) rest();
            System.out.println(line.equals("check") ? "SOUND " + sound() + " " + ROUNDS.get() : "DONE " + line);
        }
    }
}
