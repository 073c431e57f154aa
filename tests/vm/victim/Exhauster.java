import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Runs out of one kind of memory, as its standard input says, and answers when the error is caught; `leave` ends as it says. */
public class Exhauster {
    static final List<Object> KEPT = new ArrayList<>();

    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0) exhaust(arguments[0]);  // caught by nobody
        System.out.println("READY");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) answer(line.split(" "));
    }

    static void answer(String[] words) throws Exception {
        switch (words[0]) {
            case "keep": keep(Integer.parseInt(words[1])); break;
            case "exit": System.exit(Integer.parseInt(words[1])); break;
            case "halt": Runtime.getRuntime().halt(Integer.parseInt(words[1])); break;
            default: caught(words[0]);
        }
    }

    /** So many objects that the graph shows. */
    static void keep(int count) {
        for (int i = 0; i < count; i++) KEPT.add(new Kept());
        System.out.println("KEPT " + KEPT.size());
    }

    static void caught(String kind) throws Exception {
        try {
            exhaust(kind);
        } catch (OutOfMemoryError error) {
            String message = error.getMessage();
            RELEASED.countDown();
            System.out.println("CAUGHT ".concat(String.valueOf(message)));
        }
    }

    static void exhaust(String kind) throws Exception {
        switch (kind) {
            case "heap": while (true) KEPT.add(new byte[10_000]);
            case "array": KEPT.add(new long[Integer.MAX_VALUE]); break;
            case "direct": while (true) KEPT.add(ByteBuffer.allocateDirect(1 << 20));
            case "threads": while (true) startThread();
            case "metaspace": while (true) KEPT.add(newClass());
            default: System.out.println("UNKNOWN " + kind);
        }
    }

    /** A class of its own each time: a loader defines a proxy. */
    static Object newClass() {
        ClassLoader loader = new URLClassLoader(new URL[0], Exhauster.class.getClassLoader());
        return Proxy.newProxyInstance(loader, new Class<?>[] {Runnable.class}, (proxy, method, values) -> null);
    }

    static final CountDownLatch RELEASED = new CountDownLatch(1);

    static void startThread() {
        Thread thread = new Thread(() -> {
            try {
                RELEASED.await();
            } catch (InterruptedException ended) {
                return;
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    static class Kept {
        final long[] body = new long[10];
    }
}
