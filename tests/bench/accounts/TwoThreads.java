import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Two threads that live as long as the program and share each round's work, one fixed half each. */
final class TwoThreads {
    private static final int COUNT = 2;

    interface Half {
        /** number: 0 or 1. Returns the checksum of its half. */
        long work(int number) throws Exception;
    }

    private final ExecutorService threads = Executors.newFixedThreadPool(COUNT);

    long run(Half half) throws InterruptedException, ExecutionException {
        List<Future<Long>> answers = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            int number = i;
            answers.add(threads.submit(() -> half.work(number)));
        }
        Digest digest = new Digest();
        for (Future<Long> answer : answers) {
            digest.add(answer.get());
        }
        return digest.value();
    }

    void end() throws InterruptedException {
        threads.shutdown();
        Rounds.check(threads.awaitTermination(1, TimeUnit.MINUTES), "a thread does not end");
    }
}
