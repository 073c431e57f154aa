import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Objects whose ages are known, because it counts the young collections itself: TRUTH class objects collections (-1: tenured), then READY.
 * LATE is printed when another collection came after that. Wants a young generation in which nothing is promoted early.
 */
public final class Aged {
    private static final class Fresh { long value; }
    private static final class One { long value; }
    private static final class Three { long value; }
    private static final class Hashed { long value; }
    private static final class Locked { long value; }
    private static final class Contended { long value; }
    private static final class Tenured { long value; }

    private static final List<Object> KEPT = new ArrayList<>();
    private static final Map<Class<?>, long[]> MADE = new LinkedHashMap<>();  // when, how many
    private static final int MANY = 1000;
    private static volatile Object sink;

    private Aged() {}

    private static long collections() {
        long count = 0;
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            String name = bean.getName();
            if (name.contains("Young") || name.contains("Copy") || name.contains("Scavenge")) count += bean.getCollectionCount();
        }
        return count;
    }

    private static void collect(int times) {
        for (long until = collections() + times; collections() < until; ) sink = new byte[1000];
    }

    private static Object make(int count, Supplier<Object> maker) {
        Object made = null;
        for (int i = 0; i < count; i++) KEPT.add(made = maker.get());
        MADE.put(made.getClass(), new long[] {collections(), count});
        return made;
    }

    private static Object hashed() {
        Object made = new Hashed();
        System.identityHashCode(made);
        return made;
    }

    // One thread holds both; another waits for the second, so that it has a monitor.
    private static void hold(Object locked, Object contended) throws InterruptedException {
        Thread waiter = new Thread(() -> {
            synchronized (contended) {
                sink = contended;
            }
        });
        Thread holder = new Thread(() -> {
            synchronized (locked) {
                synchronized (contended) {
                    waiter.start();
                    rest();
                }
            }
        });
        waiter.setDaemon(true);
        holder.setDaemon(true);
        holder.start();
        while (waiter.getState() != Thread.State.BLOCKED) Thread.sleep(10);
    }

    private static void rest() {
        try {
            Thread.sleep(Long.MAX_VALUE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void tell(long now, long tenuredUntil) {
        MADE.forEach((type, made) -> System.out.println("TRUTH " + type.getName() + " " + made[1] + " " + (made[0] < tenuredUntil ? -1 : now - made[0])));
    }

    public static void main(String[] arguments) throws Exception {
        make(MANY, Tenured::new);
        KEPT.add(new short[2 << 20]);
        collect(1);
        System.gc();  // moves all that lives to the old generation
        collect(1);
        final long tenuredUntil = collections();
        make(MANY, Three::new);
        make(MANY, Aged::hashed);
        Object locked = make(1, Locked::new);
        Object contended = make(1, Contended::new);
        collect(2);
        make(MANY, One::new);
        hold(locked, contended);
        collect(1);
        make(MANY, Fresh::new);
        long now = collections();
        tell(now, tenuredUntil);
        System.out.println("READY");
        while (collections() == now) Thread.sleep(20);
        System.out.println("LATE");
        rest();
    }
}
