import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** soft|weak|thread|inherited COUNT: pages of 1 KB that a cache holds softly or weakly, or that threads hold by a ThreadLocal or an InheritableThreadLocal. */
final class Caches {
    static final class Page {
        final byte[] text = new byte[1_000];
    }

    private static final int THREADS = 8;
    private static final int MANY_THREADS = 60;  // none of which holds much by itself
    private static final Map<Integer, Object> CACHE = new HashMap<>();
    private static final ThreadLocal<List<Page>> OWN_PAGES = ThreadLocal.withInitial(ArrayList::new);
    private static final InheritableThreadLocal<List<Page>> INHERITED = new InheritableThreadLocal<>();
    private static final List<Page> ALSO = new ArrayList<>();

    private static void fillOwn(boolean inherited, int count) {
        List<Page> pages = inherited ? new ArrayList<>() : OWN_PAGES.get();
        if (inherited) {
            INHERITED.set(pages);
        }
        for (int i = 0; i < count; i++) {
            pages.add(new Page());
        }
        synchronized (CACHE) {
            CACHE.put(CACHE.size(), Thread.currentThread().getName());
            CACHE.notifyAll();
        }
        try {
            Thread.sleep(Long.MAX_VALUE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void startThreads(boolean inherited, int threads, int count) throws InterruptedException {
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(() -> fillOwn(inherited, count / threads), "worker-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        synchronized (CACHE) {
            while (CACHE.size() < threads) {
                CACHE.wait();
            }
        }
    }

    public static void main(String[] words) throws Exception {
        int count = Integer.parseInt(words[1]);
        if (words[0].equals("thread")) {
            startThreads(false, THREADS, count);
        } else if (words[0].equals("inherited")) {
            startThreads(true, MANY_THREADS, count);
        } else {
            for (int i = 0; i < count; i++) {
                Page page = new Page();
                CACHE.put(i, words[0].equals("soft") ? new SoftReference<>(page) : new WeakReference<>(page));
                if (words[0].equals("weak")) {
                    ALSO.add(page);  // else a collection takes it
                }
            }
        }
        Gap.serve();
    }
}
