import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * A heap of N objects for measuring what a dump costs: maps, lists, arrays, cycles and sharing, about 40 bytes and 2.9 references per object
 * as the VM's tool interface counts them (an object's class is one; null is none).
 *
 * One thread mutates the whole old generation at random, the worst case for copy-on-write, and allocates; one ticks every millisecond and keeps its
 * longest gap.
 *
 *   HeapLoad OBJECTS [seed=N] [busy=PERCENT of the time that the mutating thread works, 100 unless told; 0: it does not exist]
 *   stdin: mark -> "marked"; stall? -> "stall_ms X writes W" since the mark; quit
 */
public final class HeapLoad {
    private static final long TICK_NS = 1_000_000;
    private static final int WRITES_PER_SLICE = 64;
    private static final int NEW_ARRAYS_KEPT = 1_024;
    private static final int NEW_ARRAY_BYTES = 200;
    private static final long SHORTEST_PARK_NS = 500_000;

    /** A record in a ring with its neighbours; `shared` belongs to several blocks. */
    private static final class Item {
        Item next;
        Item previous;
        Object shared;
        int value;

        Item(int value) {
            this.value = value;
        }
    }

    /** What one customer of an application might hold; see fill() for its arithmetic. */
    private static final class Block {
        Item[] ring;
        Map<Integer, Object> map;
        ArrayList<Object> list;
        long[] numbers;
        Block partner;
    }

    private static final int ITEMS = 24;
    private static final int ENTRIES = 20;
    private static final int LISTED = 12;
    private static final int NUMBERS = 130;
    private static final int KEY_BASE = 1_000;  // outside Integer's cache, so each key is an object

    private final Block[] blocks;
    private final Random random;
    private long objects;
    private long references;
    private volatile long writes;
    private volatile long lastTickNs;
    private volatile long longestNs;

    private HeapLoad(long wanted, long seed) {
        random = new Random(seed);
        long perBlock = objectsPerBlock();
        blocks = new Block[(int) (wanted / perBlock)];
        for (int i = 0; i < blocks.length; i++) {
            blocks[i] = fill(i);
        }
    }

    private static long objectsPerBlock() {
        // the block, ring and items · map, table, entries, keys, values · list, its array, its elements · numbers
        return 1 + 1 + ITEMS + 2 + 3 * ENTRIES + 2 + LISTED + 1;
    }

    private Block fill(int number) {
        Block block = new Block();
        block.ring = ring(number);
        block.map = map(block.ring);
        block.list = new ArrayList<>(LISTED);
        for (int i = 0; i < LISTED; i++) {
            block.list.add(new int[1 + i % 4]);
        }
        block.numbers = new long[NUMBERS];
        block.partner = number == 0 ? null : blocks[random.nextInt(number)];
        count(1, number == 0 ? 4 : 5);
        count(2 + LISTED, 1 + LISTED);
        count(1, 0);
        return block;
    }

    private Item[] ring(int number) {
        Item[] ring = new Item[ITEMS];
        for (int i = 0; i < ITEMS; i++) {
            ring[i] = new Item(i);
            ring[i].shared = shared(number, ring[i]);
        }
        for (int i = 0; i < ITEMS; i++) {
            ring[i].next = ring[(i + 1) % ITEMS];
            ring[(i + 1) % ITEMS].previous = ring[i];
        }
        count(1 + ITEMS, ITEMS + 3L * ITEMS);
        return ring;
    }

    /** Something in an earlier block, so that blocks share. */
    private Object shared(int number, Item self) {
        return number == 0 ? self : blocks[random.nextInt(number)].ring[random.nextInt(ITEMS)];
    }

    private Map<Integer, Object> map(Item[] ring) {
        Map<Integer, Object> map = new HashMap<>();
        for (int i = 0; i < ENTRIES; i++) {
            map.put(KEY_BASE + i, new Object[] {ring[i % ITEMS]});
        }
        count(2 + 3L * ENTRIES, 1 + ENTRIES + 2L * ENTRIES + ENTRIES);
        return map;
    }

    /** Each object also refers to its class. */
    private void count(long newObjects, long fieldsAndElements) {
        objects += newObjects;
        references += newObjects + fieldsAndElements;
    }

    /** Slices of writes and one allocation; what it owes of rest it takes once it is worth a park. */
    private void mutate(int busyPercent) {
        Random where = new Random(random.nextLong());
        byte[][] kept = new byte[NEW_ARRAYS_KEPT][];
        long owedNs = 0;
        for (int slice = 0;; slice++) {
            long beginNs = System.nanoTime();
            for (int i = 0; i < WRITES_PER_SLICE; i++) {
                write(where);
            }
            kept[slice % kept.length] = new byte[NEW_ARRAY_BYTES];
            writes += WRITES_PER_SLICE;
            owedNs += (System.nanoTime() - beginNs) * (100 - busyPercent) / busyPercent;
            if (owedNs >= SHORTEST_PARK_NS) {
                beginNs = System.nanoTime();
                LockSupport.parkNanos(owedNs);
                owedNs -= System.nanoTime() - beginNs;
            }
        }
    }

    private void write(Random where) {
        Item one = blocks[where.nextInt(blocks.length)].ring[where.nextInt(ITEMS)];
        Item other = blocks[where.nextInt(blocks.length)].ring[where.nextInt(ITEMS)];
        one.value++;
        Object swapped = one.shared;  // swapped, not replaced: the graph keeps its size
        one.shared = other.shared;
        other.shared = swapped;
    }

    private void tick() {
        lastTickNs = System.nanoTime();
        for (;;) {
            LockSupport.parkNanos(TICK_NS);
            long now = System.nanoTime();
            longestNs = Math.max(longestNs, now - lastTickNs);
            lastTickNs = now;
        }
    }

    private void obey() throws IOException {
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
        long writesAtMark = 0;
        for (String line = commands.readLine(); line != null && !line.equals("quit"); line = commands.readLine()) {
            if (line.equals("mark")) {
                writesAtMark = writes;
                longestNs = 0;
                System.out.println("marked");
            } else if (line.equals("stall?")) {
                long open = System.nanoTime() - lastTickNs;  // a gap that has not ended yet counts as well
                System.out.printf(Locale.ROOT, "stall_ms %.2f writes %d%n", Math.max(longestNs, open) / 1e6, writes - writesAtMark);
            }
        }
    }

    private static void daemon(String name, int priority, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        thread.setPriority(priority);
        thread.start();
    }

    private static int option(String[] args, String name, int unlessTold) {
        for (String arg : args) {
            if (arg.startsWith(name + "=")) {
                return Integer.parseInt(arg.substring(name.length() + 1));
            }
        }
        return unlessTold;
    }

    public static void main(String[] args) throws IOException {
        int busyPercent = option(args, "busy", 100);
        HeapLoad load = new HeapLoad(Long.parseLong(args[0]), option(args, "seed", 1));
        System.gc();  // all of it into the old generation
        if (busyPercent > 0) {
            daemon("mutator", Thread.NORM_PRIORITY, () -> load.mutate(busyPercent));
        }
        daemon("ticker", Thread.MAX_PRIORITY, load::tick);
        System.out.printf(Locale.ROOT, "READY objects=%d references=%d%n", load.objects, load.references);
        load.obey();
    }
}
