import java.util.concurrent.CountDownLatch;

/** COUNT BYTES: the finalizer thread is stuck in the first object's finalize(); all others wait behind it. */
final class Finalizers {
    private static final CountDownLatch STUCK = new CountDownLatch(1);

    @SuppressWarnings({"deprecation", "removal"})
    static final class Connection {
        final byte[] buffer;

        Connection(int bytes) {
            buffer = new byte[bytes];
        }

        @Override
        protected void finalize() throws Throwable {
            STUCK.countDown();
            Thread.sleep(Long.MAX_VALUE);
        }
    }

    private static void make(int count, int bytes) {
        for (int i = 0; i < count; i++) {
            new Connection(bytes);
        }
    }

    public static void main(String[] words) throws Exception {
        make(Integer.parseInt(words[0]), Integer.parseInt(words[1]));
        System.gc();
        STUCK.await();
        System.gc();
        Gap.serve();
    }
}
