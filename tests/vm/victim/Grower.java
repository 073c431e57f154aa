import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * A program that allocates all the time, has a cache that is full from the start and a load that comes and goes; and, when it is told to, a list
 * of sessions to which something is added and nothing is ever taken away.
 *
 *   Grower leak|rest
 */
public final class Grower {
    // Few objects: the dearer a histogram is, the rarer they are, and a heap that grows faster than it is counted is counted less and less.
    static final int CACHED = 15_000;
    static final int SESSIONS_PER_TURN = 8;
    static final int GARBAGE_PER_TURN = 2_000;
    static final int TURNS_PER_WAVE = 3_000;  // half a minute
    static final int WAVE = 8_000;
    static final long TURN_NS = 10_000_000;

    static final class Session {
        final long[] baskets = new long[12];
        final String user;
        long begun, seen, bought, paid, shown, clicked, sent, received;

        Session(long number) {
            user = "user-" + number;
        }
    }

    static final class Cached {
        final byte[] page = new byte[200];
    }

    static final class Cache extends LinkedHashMap<Long, Cached> {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Cached> eldest) {
            return size() > CACHED;
        }
    }

    static final List<Session> SESSIONS = new ArrayList<>();
    static final Cache CACHE = new Cache();
    static volatile Object sink;

    public static void main(String[] args) {
        boolean leaks = args[0].equals("leak");
        List<byte[]> wave = new ArrayList<>();
        for (long key = 0; key < CACHED; key++) {
            CACHE.put(key, new Cached());
        }
        System.out.println("READY");
        long next = System.nanoTime();
        for (long turn = 0;; turn++) {
            for (int i = 0; i < GARBAGE_PER_TURN; i++) {
                sink = new byte[64 + i % 128];
            }
            for (int i = 0; i < SESSIONS_PER_TURN; i++) {
                CACHE.put(CACHED + turn * SESSIONS_PER_TURN + i, new Cached());
                if (leaks) {
                    SESSIONS.add(new Session(turn * SESSIONS_PER_TURN + i));
                }
            }
            follow(wave, (int) (WAVE * (1 + Math.sin(2 * Math.PI * turn / TURNS_PER_WAVE)) / 2));
            next += TURN_NS;
            LockSupport.parkNanos(next - System.nanoTime());
        }
    }

    static void follow(List<byte[]> wave, int size) {
        while (wave.size() < size) {
            wave.add(new byte[100]);
        }
        while (wave.size() > size) {
            wave.remove(wave.size() - 1);
        }
    }
}
