import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** final|computed COUNT: a cache in a static field, which compiled code of busy threads uses all the time. */
final class BusyCache {
    static final class Session {
        final byte[] data = new byte[300];
    }

    private static final int THREADS = 8;
    private static final Map<Integer, Session> CACHE = new HashMap<>();
    private static final Map<Integer, Session> COMPUTED = new ConcurrentHashMap<>();
    private static volatile long handled;

    private static void handle(int number) {
        CACHE.put(number, new Session());
        handled++;
    }

    // Inside of a compiled method all the time, as in any busy server.
    private static long serve(int from) {
        long sum = 0;
        for (int i = from; i < from + 200_000; i++) {
            if ((i & 1023) == 0) {
                handle(i);
            }
            sum += CACHE.size();
        }
        return sum;
    }

    private static void serveOneMap(int count) {
        int from = 0;
        while (CACHE.size() < count) {
            serve(from);
            from += 200_000;
        }
        handled = 0;
        while (handled >= 0) {
            serve(0);
        }
    }

    private static void computeAll(int count) {
        for (int i = 0; ; i = (i + 1) % count) {
            COMPUTED.computeIfAbsent(i, number -> new Session());
        }
    }

    private static boolean isFull(int count) {
        return COMPUTED.size() >= count || CACHE.size() >= count;
    }

    public static void main(String[] words) throws Exception {
        int count = Integer.parseInt(words[1]);
        boolean one = words[0].equals("final");
        for (int i = 0; i < (one ? 1 : THREADS); i++) {
            Thread thread = new Thread(() -> {
                if (one) {
                    serveOneMap(count);
                } else {
                    computeAll(count);
                }
            }, "worker-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        while (!isFull(count)) {
            Thread.sleep(10);
        }
        Gap.serve();
    }
}
