package load;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import load.billing.Clerk;
import load.orders.Desk;

/**
 * Allocates known numbers of objects under known accounts, as its standard input says, one command a line, and tells the truth about them.
 * Rows of the truth are of classes that nothing else allocates under the same account, so they are exact.
 */
public final class AccountsLoad {
    private static final int PLAIN = Truth.row("(unaccounted)", "-", "load.AccountsLoad$Plain");

    static volatile Object sink;
    static volatile boolean busy;

    /** Allocated outside all accounts. */
    static class Plain {
        long a;
        long b;
    }

    /** As large as Plain, so that finding out its size allocates none. */
    static class PlainTwin {
        long a;
        long b;
    }

    private AccountsLoad() {}

    public static void main(String[] arguments) throws Exception {
        long first = Layout.PLAIN;  // all sizes, before anything is counted
        Clerk.open();
        System.out.println(first > 0 ? "READY" : "NO SIZES");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) answer(line.split(" "));
        System.exit(0);
    }

    private static void answer(String[] words) throws Exception {
        int n = words.length > 1 ? Integer.parseInt(words[1]) : 0;
        switch (words[0]) {
            case "all": all(n); break;
            case "place": Desk.place(n); break;
            case "deep": Desk.deep(n, Integer.parseInt(words[2])); break;
            case "keep": Desk.keep(n); break;
            case "drop": Desk.drop(); break;
            case "keepbilled": Clerk.keep(n); break;
            case "dropbilled": Clerk.drop(); break;
            case "collect": System.gc(); break;
            case "threads": threads(n, Integer.parseInt(words[2])); break;
            case "virtual": Desk.goVirtual(n, Integer.parseInt(words[2])); break;
            case "strings": Desk.write(n); break;
            case "without": System.out.println("ALLOCATED " + Desk.doWithout(n)); break;
            case "plugins": Plugins.run(n, Integer.parseInt(words[2])); break;
            case "redefine": Retransformer.redefine(); break;
            case "busy": beBusy(n); break;
            case "idle": busy = false; break;
            case "fill": fill(); break;
            case "truth": Truth.print(); break;
            default: throw new IllegalArgumentException(words[0]);
        }
        System.out.println("DONE " + words[0]);
    }

    private static void all(int n) throws Exception {
        for (int i = 0; i < n; i++) sink = new Plain();
        Truth.add(PLAIN, n, Layout.PLAIN);
        Desk.place(n);
        Desk.copy(n);
        Desk.throughLibrary(n);
        Desk.bill(n);
        Desk.beRefused(n);
        Desk.reflect(n);
        Desk.stream(n);
        Desk.employ(n, 4);
        Desk.goVirtual(n, 4);
        Clerk.fill(n);
    }

    /** All at once. */
    private static void threads(int n, int count) throws InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(null, () -> {
                try {
                    go.await();
                } catch (InterruptedException stop) {
                    return;
                }
                Desk.place(n);
            }, "crowd " + i, 256 << 10);
            thread.start();
            threads.add(thread);
        }
        go.countDown();
        for (Thread thread : threads) thread.join();
    }

    /** Until "idle": threads that allocate, and keep some of it. */
    private static void beBusy(int count) {
        busy = true;
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(() -> {
                while (busy) {
                    Desk.place(10_000);
                    Desk.deep(1_000, 60);
                    try {
                        Desk.reflect(100);
                        Plugins.run(1, 10);
                    } catch (ReflectiveOperationException error) {
                        throw new AssertionError(error);
                    }
                }
            }, "busy " + i);
            thread.setDaemon(true);
            thread.start();
        }
    }

    private static void fill() {
        List<Object> hoard = new ArrayList<>();
        try {
            while (true) hoard.add(new byte[100_000]);
        } catch (OutOfMemoryError error) {
            int count = hoard.size();
            hoard.clear();
            System.out.println("FULL " + count);
        }
    }
}
