import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A VM for bad luck of the frozen rung: changes and checks a table all the time, and does besides what its standard input says, one word a line, each
 * answered by one line. Java 8.
 */
public class Hardship {
    static final int ROWS = Integer.getInteger("rows", 20_000);
    static final Row[] TABLE = new Row[ROWS];
    static volatile long changes;
    static volatile long broken;
    static volatile boolean onceMore = true;

    /** Each part says the value again: a change that is lost or doubled shows. */
    static final class Row {
        int value;
        Integer boxed;
        byte[] load;
        Row neighbour;

        synchronized void set(int to) {
            value = to;
            boxed = to + 1_000_000;
            byte[] fresh = new byte[48];
            java.util.Arrays.fill(fresh, (byte) to);
            load = fresh;
        }

        synchronized boolean sound() {
            for (byte b : load)
                if (b != (byte) value) return false;
            return boxed == value + 1_000_000 && load.length == 48 && neighbour != null;
        }
    }

    static void change() {
        int seed = 1;
        while (true) {
            for (int i = 0; i < 1_000; i++) {
                seed = seed * 1_103_515_245 + 12_345;
                Row row = TABLE[(seed >>> 8) % ROWS];
                if (!row.sound()) broken++;
                row.set(seed >>> 4);
                changes++;
            }
            LockSupport.parkNanos(100_000);
        }
    }

    static boolean sound() {
        for (int i = 0; i < ROWS; i++)
            if (!TABLE[i].sound() || TABLE[i].neighbour != TABLE[(i + 1) % ROWS]) return false;
        return broken == 0;
    }

    // --- processes

    static final AtomicLong ENDED = new AtomicLong();
    static final AtomicLong WRONG_ENDS = new AtomicLong();

    static void runProcesses() {
        for (int i = 0; ; i = (i + 1) % 100) {
            try {
                int status = new ProcessBuilder("/bin/sh", "-c", "exit " + i).start().waitFor();
                if (status != i) WRONG_ENDS.incrementAndGet();
                ENDED.incrementAndGet();
            } catch (IOException | InterruptedException error) {
                WRONG_ENDS.incrementAndGet();
            }
        }
    }

    // --- connections

    static ServerSocket server;
    static Thread serving;

    /** Closes each connection as soon as it has read a byte from it. */
    static void serve() {
        while (true) {
            try {
                Socket connection = server.accept();
                daemon("connection", () -> {
                    try {
                        connection.getInputStream().read();
                        connection.close();
                    } catch (IOException error) {
                        System.out.println("CONNECTION " + error);
                    }
                });
            } catch (IOException closed) {
                return;
            }
        }
    }

    static void listen(int port) throws IOException {
        server = new ServerSocket();
        server.setReuseAddress(true);  // connections that wait for their end do not hinder; a socket that still listens does
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
        serving = daemon("server", Hardship::serve);
    }

    static String rebind() {
        try {
            int port = server.getLocalPort();
            server.close();
            serving.join();  // while it waits in the kernel the old socket still listens
            listen(port);
            return "REBOUND";
        } catch (IOException | InterruptedException error) {
            return "REBIND " + error;
        }
    }

    // --- native code

    static native void watchForks();       // an at-fork handler that wants the lock that hold() has
    static native void hold(Runnable run);  // runs it while it holds that lock
    static native long forksSeen();
    static native void reapAnything();      // waitpid(-1) without end
    static native long reaped();

    /** In Java, on top of native code with a lock. */
    static void spin() {
        long count = 0;
        while (onceMore) count += TABLE[(int) (count % ROWS)].value & 1;
    }

    // --- threads

    static Thread daemon(String name, Runnable run) {
        Thread thread = new Thread(run, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    static void rest(int depth, CountDownLatch started, Object local) {
        if (depth > 0) {
            rest(depth - 1, started, new Object[] {local});
            return;
        }
        started.countDown();
        while (true) LockSupport.park(local);
    }

    static void threads(int count) throws InterruptedException {
        CountDownLatch started = new CountDownLatch(count);
        for (int i = 0; i < count; i++) daemon("resting " + i, () -> rest(20, started, "bottom"));
        started.await();
    }

    static String virtual(int count) throws Exception {
        Method start;
        try {
            start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException tooOld) {
            return "NONE";
        }
        CountDownLatch started = new CountDownLatch(count);
        for (int i = 0; i < count; i++) start.invoke(null, (Runnable) () -> rest(5, started, "bottom"));
        started.await();
        return "DONE";
    }

    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < ROWS; i++) {
            TABLE[i] = new Row();
            TABLE[i].set(i);
        }
        for (int i = 0; i < ROWS; i++) TABLE[i].neighbour = TABLE[(i + 1) % ROWS];
        if (System.getProperty("library") != null) System.load(System.getProperty("library"));
        daemon("changer", Hardship::change);
        System.out.println("READY");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) System.out.println(answer(line.split(" ")));
    }

    static String answer(String[] words) throws Exception {
        switch (words[0]) {
            case "check": return "SOUND " + sound() + " " + changes;
            case "processes": daemon("processes", Hardship::runProcesses); return "DONE";
            case "processes?": return "PROCESSES " + ENDED.get() + " " + WRONG_ENDS.get();
            case "listen": listen(0); return "PORT " + server.getLocalPort();
            case "rebind": return rebind();
            case "watch-forks": watchForks(); daemon("holder", () -> hold(Hardship::spin)); return "DONE";
            case "forks?": return "FORKS " + forksSeen();
            case "let-go": onceMore = false; return "DONE";
            case "reap": daemon("reaper", Hardship::reapAnything); return "DONE";
            case "reaped?": return "REAPED " + reaped();
            case "threads": threads(Integer.parseInt(words[1])); return "DONE";
            case "virtual": return virtual(Integer.parseInt(words[1]));
            default: return "UNKNOWN";
        }
    }
}
