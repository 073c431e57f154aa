package load.orders;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import load.Layout;
import load.Truth;
import load.billing.Clerk;
import load.billing.Invoice;
import load.library.Shelf;

/** The account load.orders: allocates by itself, through others, and for others who call it back. */
public final class Desk {
    private static final String ME = "load.orders";
    private static final int OWN = Truth.row(ME, "-", "load.orders.Order");
    private static final int FOR_LIBRARY = Truth.row(ME, "load.library.Shelf", "load.orders.Order");
    private static final int INVOICES = Truth.row(ME, "-", "load.billing.Invoice");
    private static final int FLOATS = Truth.row(ME, "-", "float[]");
    private static final int LISTS = Truth.row(ME, "-", "load.orders.Order[]");
    private static final int KEPT = Truth.row(ME, "-", "load.orders.Kept");
    private static final int SOME_FLOATS = 13;
    private static final List<Kept[]> HOARD = new ArrayList<>();

    public static volatile Object sink;

    private Desk() {}

    public static void place(int n) {
        for (int i = 0; i < n; i++) sink = new Order();
        Truth.add(OWN, n, Layout.ORDER);
    }

    public static void copy(int n) {
        Order order = new Order();
        sink = order;
        for (int i = 0; i < n; i++) sink = order.clone();
        Truth.add(OWN, n + 1L, Layout.ORDER);
    }

    /** The library allocates for us, and calls us back while it does. */
    public static void throughLibrary(int n) {
        Shelf.each(n, i -> sink = new Order(), FOR_ORDERS);
        Truth.add(FOR_LIBRARY, n, Layout.ORDER);
    }

    private static final Shelf.Customer FOR_ORDERS = new Shelf.Customer(ME);
    private static final Clerk.Customer BILLED = new Clerk.Customer(ME);

    /** Billing's constructor allocates in its own name, the object itself is ours. */
    public static void bill(int n) {
        for (int i = 0; i < n; i++) sink = new Invoice();
        Truth.add(INVOICES, n, Layout.INVOICE);
        BILLED.countParts(n);
        Clerk.enter(n, BILLED);
    }

    /** Billing throws through its frames into ours. */
    public static void beRefused(int n) {
        for (int i = 0; i < n; i++) {
            try {
                Clerk.refuse(3);
            } catch (Clerk.Refusal refusal) {
                sink = new Order();
            }
        }
        BILLED.countRefusals(n);
        Truth.add(OWN, n, Layout.ORDER);
    }

    public static void reflect(int n) throws ReflectiveOperationException {
        Constructor<Order> constructor = Order.class.getConstructor();
        Method make = Clerk.class.getMethod("make");
        for (int i = 0; i < n; i++) {
            sink = constructor.newInstance();
            sink = make.invoke(null);
            sink = Array.newInstance(float.class, SOME_FLOATS);
        }
        Truth.add(OWN, n, Layout.ORDER);
        BILLED.countMade(n);
        Truth.add(FLOATS, n, Layout.floats(SOME_FLOATS));
    }

    public static void stream(int n) {
        IntStream.range(0, n).mapToObj(i -> new Order()).forEach(order -> sink = order);
        IntStream.range(0, n).parallel().forEach(i -> sink = new Order());
        sink = IntStream.range(0, n).mapToObj(i -> new Order()).toArray(Order[]::new);
        Truth.add(OWN, 3L * n, Layout.ORDER);
        Truth.add(LISTS, 1, Layout.references(n));
    }

    /** Threads of ours that work for billing, and threads of billing alone. */
    public static void employ(int n, int count) throws InterruptedException {
        Thread[] threads = new Thread[2 * count];
        for (int i = 0; i < count; i++) {
            threads[2 * i] = new Thread(() -> Clerk.enter(n / count, BILLED), "desk");
            threads[2 * i + 1] = new Clerk.Worker(n / count);
        }
        for (Thread thread : threads) thread.start();
        for (Thread thread : threads) thread.join();
    }

    /** An object that never leaves its method. */
    private static final class Point {
        final long x;
        final long y;

        Point(long x, long y) {
            this.x = x;
            this.y = y;
        }

        long sum() {
            return x + y;
        }
    }

    private static long addUp(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) sum += new Point(i, sum).sum();
        return sum;
    }

    /** What a compiled method really allocates of n objects that it could do without: bytes an object, in thousandths. */
    public static long doWithout(int n) {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
        long id = Thread.currentThread().getId();
        sum = 0;
        for (int i = 0; i < 200; i++) sum += addUp(n / 200);
        long before = threads.getThreadAllocatedBytes(id);
        for (int i = 0; i < 200; i++) sum += addUp(n / 200);
        return (threads.getThreadAllocatedBytes(id) - before) * 1000 / n;
    }

    static volatile long sum;

    /** What a compiler may make by itself: a string out of a builder, and one that is not Latin. */
    public static void write(int n) {
        char[] letters = {'\u0436', '\u0443', '\u043a'};
        for (int i = 0; i < n; i++) {
            sink = new StringBuilder().append("order ").append(i).append('.').toString();
            letters[2] = (char) ('\u0430' + i % 32);
            sink = new String(letters);
        }
    }

    /** Where the VM has them. */
    public static void goVirtual(int n, int count) throws Exception {
        Method start;
        try {
            start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException old) {
            return;
        }
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) threads.add((Thread) start.invoke(null, (Runnable) () -> place(n / count)));
        for (Thread thread : threads) thread.join();
    }

    /** As deep as that, and then a few. */
    public static void deep(int n, int depth) {
        if (depth > 0) deep(n, depth - 1);
        else place(n);
    }

    public static void keep(int n) {
        Kept[] kept = new Kept[n];
        for (int i = 0; i < n; i++) kept[i] = new Kept();
        HOARD.add(kept);
        Truth.add(KEPT, n, Layout.KEPT);
    }

    public static void drop() {
        HOARD.clear();
        sink = null;
    }
}
