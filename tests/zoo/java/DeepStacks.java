import java.util.concurrent.CountDownLatch;

/** THREADS FRAMES: threads that wait deep, as a recursive parser or a long filter chain does. Each frame holds three small objects. */
final class DeepStacks {
    private static void down(int depth, Object first, Object second, CountDownLatch there) {
        Object[] third = new Object[2];
        if (depth == 0) {
            there.countDown();
            try {
                Thread.sleep(Long.MAX_VALUE);
            } catch (InterruptedException e) {
                return;
            }
        } else {
            down(depth - 1, second, third, there);
        }
        if (first == third) {
            System.out.println(second);
        }
    }

    public static void main(String[] words) throws Exception {
        int threads = Integer.parseInt(words[0]);
        int frames = Integer.parseInt(words[1]);
        CountDownLatch there = new CountDownLatch(threads);
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(null, () -> down(frames, new byte[100], new byte[200], there), "deep-" + i, 4L << 20);
            thread.setDaemon(true);
            thread.start();
        }
        there.await();
        Gap.serve();
    }
}
