import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** COUNT FRAMES: virtual threads that wait, each with a request in its frames. Java 21 and later. */
final class VirtualThreads {
    static final class Request {
        final byte[] body = new byte[500];
    }

    private static int handle(int depth, Request request, CountDownLatch there) throws InterruptedException {
        if (depth == 0) {
            there.countDown();
            Thread.sleep(Long.MAX_VALUE);
            return request.body.length;
        }
        return handle(depth - 1, request, there) + request.body[0];
    }

    private static void run(int frames, CountDownLatch there) {
        try {
            handle(frames, new Request(), there);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] words) throws Exception {
        int count = Integer.parseInt(words[0]);
        int frames = Integer.parseInt(words[1]);
        CountDownLatch there = new CountDownLatch(count);
        ExecutorService threads = (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        for (int i = 0; i < count; i++) {
            threads.execute(() -> run(frames, there));
        }
        there.await();
        Gap.serve();
    }
}
