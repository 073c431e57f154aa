import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;

/**
 * An allocation- and lock-heavy benchmark, for what an idle agent costs: each operation allocates a handful of objects, some of which survive,
 * and takes a monitor and a lock that all threads share. There are many of both, so that two threads seldom meet: one lock for
 * all turns the figure into a lottery of who parks (a spread of 0.65 to 1.26 between equal runs).
 *
 *   IdleLoad [seconds=N] [warmup=N] [threads=N] [seed=N]    prints "ops_per_second X"
 */
public final class IdleLoad {
    private static final int SHARDS = 64;
    private static final int KEPT_PER_SHARD = 2_500;
    private static final int CHECK_EVERY = 256;

    private final List<Map<Integer, List<String>>> shards = new ArrayList<>();
    private final List<Queue> queues = new ArrayList<>();
    private volatile boolean stop;

    private IdleLoad() {
        for (int i = 0; i < SHARDS; i++) {
            shards.add(new HashMap<>());
            queues.add(new Queue());
        }
    }

    private static final class Queue {
        private final ReentrantLock lock = new ReentrantLock();
        private final ArrayDeque<int[]> entries = new ArrayDeque<>();

        void turnOver() {
            lock.lock();
            try {
                entries.addLast(new int[16]);
                if (entries.size() > 100) {
                    entries.removeFirst();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    private void operation(Random random) {
        int key = random.nextInt(KEPT_PER_SHARD);
        List<String> value = new ArrayList<>(4);
        value.add("entry " + key);
        value.add(Integer.toString(key * 31));
        Map<Integer, List<String>> shard = shards.get(random.nextInt(SHARDS));
        synchronized (shard) {
            shard.put(key, value);
        }
        queues.get(random.nextInt(SHARDS)).turnOver();
    }

    private long work(Random random) {
        long done = 0;
        while (!stop) {
            for (int i = 0; i < CHECK_EVERY; i++) {
                operation(random);
            }
            done += CHECK_EVERY;
        }
        return done;
    }

    private double operationsPerSecond(int threads, double seconds, long seed) throws InterruptedException {
        stop = false;
        long[] done = new long[threads];
        List<Thread> workers = new ArrayList<>();
        long begin = System.nanoTime();
        for (int t = 0; t < threads; t++) {
            int index = t;
            Thread worker = new Thread(() -> done[index] = work(new Random(seed + index)));
            worker.start();
            workers.add(worker);
        }
        Thread.sleep((long) (seconds * 1000));
        stop = true;
        long total = 0;
        for (int t = 0; t < threads; t++) {
            workers.get(t).join();
            total += done[t];
        }
        return total / ((System.nanoTime() - begin) / 1e9);
    }

    public static void main(String[] args) throws InterruptedException {
        Map<String, String> options = new HashMap<>();
        for (String word : new String[] {"seconds=5", "warmup=2", "threads=2", "seed=1"}) put(options, word);
        for (String arg : args) put(options, arg);
        IdleLoad load = new IdleLoad();
        int threads = Integer.parseInt(options.get("threads"));
        long seed = Long.parseLong(options.get("seed"));
        load.operationsPerSecond(threads, Double.parseDouble(options.get("warmup")), seed);
        double result = load.operationsPerSecond(threads, Double.parseDouble(options.get("seconds")), seed);
        System.out.printf(Locale.ROOT, "ops_per_second %.0f%n", result);
    }

    private static void put(Map<String, String> options, String word) {
        options.put(word.substring(0, word.indexOf('=')), word.substring(word.indexOf('=') + 1));
    }
}
