import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.List;

/** Fills its heap with what nothing holds: "finalizer", "cleaner", "queue", "garbage" or "unloaded", each COUNT objects of 10 KB. */
public class Unheld {
    static final int COUNT = 4_000;

    static class Connection {
        final byte[] buffer = new byte[10_000];

        @Override
        @SuppressWarnings({"deprecation", "removal"})
        protected void finalize() throws Throwable {
            Thread.sleep(3_600_000);
        }
    }

    /** What a cleaner's action needs, and so holds. */
    static class Action implements Runnable {
        final byte[] buffer = new byte[10_000];

        public void run() {
            stuck();
        }
    }

    static class Row {
        final byte[] cells = new byte[10_000];
        Row next;
    }

    static final List<Object> kept = new ArrayList<>();
    static final ReferenceQueue<Object> unpolled = new ReferenceQueue<>();

    static void stuck() {
        try {
            Thread.sleep(3_600_000);
        } catch (InterruptedException end) {
            throw new IllegalStateException(end);
        }
    }

    static void clean(ReferenceQueue<Object> queue) throws InterruptedException {
        while (queue.remove() != null) new Action().run();
    }

    /** Before Java 9 there is no java.lang.ref.Cleaner: a thread of our own, with references that hold their actions. */
    static void registerWithCleaner() throws Exception {
        try {
            Class<?> type = Class.forName("java.lang.ref.Cleaner");
            Object cleaner = type.getMethod("create").invoke(null);
            kept.add(cleaner);
            for (int i = 0; i < COUNT; i++)
                type.getMethod("register", Object.class, Runnable.class).invoke(cleaner, new Object(), new Action());
        } catch (ClassNotFoundException older) {
            ReferenceQueue<Object> queue = new ReferenceQueue<>();
            Thread cleaner = new Thread(() -> {
                try {
                    clean(queue);
                } catch (InterruptedException end) {
                    throw new IllegalStateException(end);
                }
            }, "Cleaner-0");
            cleaner.setDaemon(true);
            cleaner.start();
            for (int i = 0; i < COUNT; i++) {
                Action action = new Action();
                kept.add(new PhantomReference<Object>(new Object(), queue) { final Action held = action; });
            }
        }
    }

    static byte[] bytesOf(String name) throws Exception {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try (InputStream in = Unheld.class.getResourceAsStream(name + ".class")) {
            for (int b = in.read(); b >= 0; b = in.read()) all.write(b);
        }
        return all.toByteArray();
    }

    /** A Row class of its own, and one object of it. */
    static final class Own extends ClassLoader {
        Object row(byte[] of) throws Exception {
            Constructor<?> make = defineClass("Unheld$Row", of, 0, of.length).getDeclaredConstructor();
            make.setAccessible(true);
            return make.newInstance();
        }
    }

    /** Rows of 400 classes between others that stay; a first collection makes all of them old, a second one finds the classes dead. */
    static void unload() throws Exception {
        byte[] of = bytesOf("Unheld$Row");
        List<Object> going = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            if (i % 10 == 0) going.add(new Own().row(of));
            kept.add(new byte[2_000]);
        }
        System.gc();
        going.clear();
        System.gc();
    }

    static void chain(int rows) {
        Row before = null;
        for (int i = 0; i < rows; i++) {
            Row row = new Row();
            row.next = before;
            before = row;
        }
        synchronized (kept) {
            kept.add(before);
        }
    }

    /** COUNT rows in all, each thread its part, held until all are made; and one large array. */
    static void litter() throws Exception {
        List<Thread> threads = new ArrayList<>();
        int count = Integer.getInteger("threads", 1);
        for (int t = 0; t < count; t++) {
            Thread one = new Thread(() -> {
                chain(COUNT / count);
                stuck();
            });
            one.setDaemon(true);
            one.start();
            threads.add(one);
        }
        for (Thread one : threads) while (one.getState() != Thread.State.TIMED_WAITING) Thread.sleep(10);
        kept.add(new byte[Integer.getInteger("large", 0)]);
        kept.clear();
    }

    static void fill(String kind) throws Exception {
        if (kind.equals("cleaner")) registerWithCleaner();
        if (kind.equals("unloaded")) unload();
        if (kind.equals("garbage")) litter();
        for (int i = 0; i < COUNT; i++) {
            if (kind.equals("finalizer")) new Connection();
            if (kind.equals("queue")) kept.add(new WeakReference<Object>(new Object(), unpolled));
        }
    }

    public static void main(String[] args) throws Exception {
        String kind = System.getProperty("kind");
        fill(kind);
        for (int i = 0; i < 3 && !kind.equals("garbage") && !kind.equals("unloaded"); i++) {
            System.gc();
            Thread.sleep(300);
        }
        System.out.println("READY");
        System.out.flush();
        System.in.read();
    }
}
