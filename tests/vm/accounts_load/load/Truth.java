package load;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLongArray;

/** What was allocated, as the code that allocates says: objects and bytes by account, principal and class. Counting allocates nothing. */
public final class Truth {
    private static final int MOST = 64;
    private static final String[] KEYS = new String[MOST];
    private static final AtomicLongArray OBJECTS = new AtomicLongArray(MOST);
    private static final AtomicLongArray BYTES = new AtomicLongArray(MOST);
    private static int used;

    private Truth() {}

    /** The number of a row; asked for once, when a class is initialised. */
    public static synchronized int row(String account, String principal, String type) {
        KEYS[used] = account + "\t" + principal + "\t" + type;
        return used++;
    }

    public static void add(int row, long objects, long bytesEach) {
        OBJECTS.getAndAdd(row, objects);
        BYTES.getAndAdd(row, objects * bytesEach);
    }

    static void print() {
        Map<String, long[]> sums = new TreeMap<>();
        for (int row = 0; row < used; row++) {
            long[] sum = sums.computeIfAbsent(KEYS[row], key -> new long[2]);
            sum[0] += OBJECTS.get(row);
            sum[1] += BYTES.get(row);
        }
        for (Map.Entry<String, long[]> row : sums.entrySet())
            System.out.println("TRUTH\t" + row.getKey() + "\t" + row.getValue()[0] + "\t" + row.getValue()[1]);
        System.out.println("TOLD");
    }
}
