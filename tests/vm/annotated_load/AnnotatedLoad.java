import holdfast.Annotations;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import java.util.concurrent.Callable;

/** Threads that say whose work they do, and allocate known amounts: one command a line, "DONE command" when it is done. */
public class AnnotatedLoad {
    static final class Piece {
        long a, b, c, d, e, f;
    }

    static volatile Object sink;

    /** The account. */
    static final class Work {
        static void allocate(int pieces) {
            for (int i = 0; i < pieces; i++)
                sink = new Piece();
        }
    }

    /** Two users on threads of their own; alice's work is half for a request, and is bob's for a quarter, in between. */
    @SuppressWarnings("try")
    static void users(int pieces) throws Exception {
        Thread alice = new Thread(() -> {
            try (Annotations.Scope scope = Annotations.user("alice")) {
                Work.allocate(pieces);
                try (Annotations.Scope inner = Annotations.request("/cart")) {
                    Work.allocate(pieces);
                }
                try (Annotations.Scope inner = Annotations.user("bob")) {
                    Work.allocate(pieces / 2);
                }
                Work.allocate(pieces / 2);
            }
            Work.allocate(pieces / 2);
        });
        Thread bob = new Thread(() -> {
            Annotations.user("bob").request("/till").session("s1").application("shop");
            Work.allocate(2 * pieces);
        });
        alice.start();
        bob.start();
        alice.join();
        bob.join();
    }

    /** Each says something and ends without taking it back; their carriers, or whoever has their place in memory next, say nothing. */
    static void ended(int threads, boolean virtual) throws Exception {
        for (int i = 0; i < threads; i++) {
            int number = i;
            start(virtual, () -> {
                Annotations.user("ended-" + number % 10);
                Work.allocate(100);
                return null;
            }).join();
        }
        start(virtual, () -> {
            Work.allocate(100_000);
            return null;
        }).join();
    }

    /** So many virtual threads on few carriers, which give way to each other between what they say and what they allocate. */
    static void virtual(int threads, int pieces) throws Exception {
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            String name = "v" + i % 2;
            all.add(start(true, () -> {
                Annotations.user(name);
                for (int round = 0; round < 10; round++) {
                    Thread.sleep(1);
                    Work.allocate(pieces / 10);
                }
                return null;
            }));
        }
        for (Thread thread : all)
            thread.join();
    }

    static Thread start(boolean virtual, Callable<Void> body) throws Exception {
        Runnable run = () -> {
            try {
                body.call();
            } catch (Exception failed) {
                throw new IllegalStateException(failed);
            }
        };
        if (virtual)
            return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, run);
        Thread thread = new Thread(run);
        thread.start();
        return thread;
    }

    static void odd() {
        StringBuilder longest = new StringBuilder();
        for (int i = 0; i < 10_000; i++)
            longest.append('x');
        Annotations.user(longest.toString());
        Work.allocate(100_000);
        Annotations.user("a\nb\u0000c\u00e4\uD83D\uDE00\uD83D");
        Work.allocate(100_000);
        Annotations.user(null);
        Work.allocate(1000);
        Annotations.clear();
    }

    /** What it costs to say something, in ns. */
    static void cost() {
        int rounds = 300_000;
        long best = Long.MAX_VALUE;
        for (int run = 0; run < 5; run++) {
            long began = System.nanoTime();
            for (int i = 0; i < rounds; i++)
                Annotations.user("alice").close();
            best = Math.min(best, (System.nanoTime() - began) / rounds);
        }
        System.out.println("COST " + best + " ns for both");
    }

    public static void main(String[] args) throws Exception {
        System.out.println("READY");
        Scanner in = new Scanner(System.in, "UTF-8");
        while (in.hasNextLine()) {
            String[] words = in.nextLine().split(" ");
            int n = words.length > 1 ? Integer.parseInt(words[1]) : 0;
            switch (words[0]) {
                case "users": users(n); break;
                case "ended": ended(n, false); break;
                case "ended-virtual": ended(n, true); break;
                case "virtual": virtual(n, 20_000); break;
                case "odd": odd(); break;
                case "cost": cost(); break;
                default: return;
            }
            System.out.println("DONE " + words[0]);
        }
    }
}
