import java.lang.ref.Cleaner;
import java.util.concurrent.CountDownLatch;

/** COUNT BYTES: a cleaner whose thread is stuck in the first action; the state of all others waits. */
final class Cleaners {
    private static final CountDownLatch STUCK = new CountDownLatch(1);
    private static final Cleaner CLEANER = Cleaner.create();

    static final class State implements Runnable {
        final byte[] buffer;

        State(int bytes) {
            buffer = new byte[bytes];
        }

        @Override
        public void run() {
            STUCK.countDown();
            try {
                Thread.sleep(Long.MAX_VALUE);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static void make(int count, int bytes) {
        for (int i = 0; i < count; i++) {
            CLEANER.register(new Object(), new State(bytes));
        }
    }

    public static void main(String[] words) throws Exception {
        make(Integer.parseInt(words[0]), Integer.parseInt(words[1]));
        System.gc();
        STUCK.await();
        Gap.serve();
    }
}
