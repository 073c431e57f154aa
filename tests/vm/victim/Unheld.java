import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

/** Fills its heap with what nothing holds: "finalizer", "cleaner", "queue" or "garbage", each COUNT objects of 10 KB. */
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

    static void fill(String kind) throws Exception {
        if (kind.equals("cleaner")) registerWithCleaner();
        Row before = null;
        for (int i = 0; i < COUNT && !kind.equals("cleaner"); i++) {
            if (kind.equals("finalizer")) new Connection();
            if (kind.equals("queue")) kept.add(new WeakReference<Object>(new Object(), unpolled));
            if (kind.equals("garbage")) {
                Row row = new Row();
                row.next = before;
                before = row;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        String kind = System.getProperty("kind");
        fill(kind);
        for (int i = 0; i < 3 && !kind.equals("garbage"); i++) {
            System.gc();
            Thread.sleep(300);
        }
        System.out.println("READY");
        System.out.flush();
        System.in.read();
    }
}
