import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Every shape of object that a heap reader has to get right, at rest. Java 8. */
public class Shapes {
    static final List<Object> KEPT = new ArrayList<>();
    static final Object[][][] NESTED = new Object[3][4][5];
    static final ReferenceQueue<Object> QUEUE = new ReferenceQueue<>();
    static final int SATURATED = 40_000;  // elements, more than a reference's label can tell apart
    static final ThreadLocal<Object> LOCAL = new ThreadLocal<>();
    static Object nothing;
    static Object self = KEPT;

    interface Named {
        Object NAME = new Object[] {"interface constant"};
        String LATE = String.valueOf(System.nanoTime() != 0);
    }

    /** Fields of all widths in three generations, references between primitives, interfaces with fields above. */
    static class Base implements Named {
        byte small = 1;
        Object inBase = new Object();
        long wide = 2;
    }

    static class Middle extends Base {
        Object inMiddle = new int[3];
        boolean flag;
        static Object inStatics = new Object();
    }

    static class Leaf extends Middle implements Runnable {
        Object inLeaf;
        char letter = 'x';
        Object another;
        double number;
        Object[] array = new Object[2];
        String text;

        Leaf(int i) {
            inLeaf = this;
            another = i % 2 == 0 ? null : new Base();
            array[1] = array;
            text = "leaf " + i;
        }

        @Override
        public void run() {
            LockSupport.park(this);
        }
    }

    static class Empty {
    }

    enum Colour {
        RED, GREEN { @Override Object hue() { return this; } };

        final Object made = new Object();

        Object hue() {
            return made;
        }
    }

    static class OwnWeak extends WeakReference<Object> {
        final Object beside;

        OwnWeak(Object referent, Object beside) {
            super(referent, QUEUE);
            this.beside = beside;
        }
    }

    static class Finalized {
        Object held = new Object();

        @SuppressWarnings({"deprecation", "removal"})
        @Override
        protected void finalize() {
            nothing = held;
        }
    }

    public static void main(String[] arguments) throws Exception {
        instances();
        arrays();
        references();
        code();
        threads();
        System.out.println("READY");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) System.out.println("SOUND " + sound());
    }

    static void instances() {
        for (int i = 0; i < 3_000; i++) KEPT.add(new Leaf(i));
        for (int i = 0; i < 100; i++) KEPT.add(new Empty());
        Object[] chain = null;
        for (int i = 0; i < 200_000; i++) chain = new Object[] {chain};
        KEPT.add(chain);
        Map<Object, Object> maps = new LinkedHashMap<>();
        for (Map<Object, Object> map : Collections.singletonList(maps)) {
            map.put("hash", filled(new HashMap<Object, Object>()));
            map.put("tree", filled(new TreeMap<Object, Object>()));
            map.put("weak", filled(new WeakHashMap<Object, Object>()));
            map.put("identity", filled(new IdentityHashMap<Object, Object>()));
            map.put("concurrent", filled(new ConcurrentHashMap<Object, Object>()));
        }
        maps.put("enum", new EnumMap<Colour, Object>(Colour.class));
        KEPT.add(maps);
        for (Colour colour : Colour.values()) KEPT.add(colour.hue());
    }

    static Map<Object, Object> filled(Map<Object, Object> map) {
        for (int i = 0; i < 500; i++) map.put("key " + i, new int[] {i});
        return map;
    }

    static void arrays() {
        Object[] large = new Object[SATURATED];
        for (int i = 0; i < large.length; i++) large[i] = i % 3 == 0 ? null : Integer.valueOf(1_000 + i % 700);
        KEPT.add(large);
        KEPT.add(NESTED);
        NESTED[1][2][3] = NESTED;
        for (int length = 0; length < 40; length++)
            KEPT.add(new Object[] {new byte[length], new boolean[length], new char[length], new short[length], new int[length],
                                   new long[length], new float[length], new double[length], new Object[length], new String[length][length % 3]});
        KEPT.add(new byte[3 << 20]);  // humongous in G1
        Object[] humongous = new Object[1 << 18];
        humongous[humongous.length - 1] = humongous;
        KEPT.add(humongous);
    }

    static void references() {
        for (int i = 0; i < 50; i++) {
            Object kept = new int[i];
            KEPT.add(new Object[] {kept, new SoftReference<>(kept), new WeakReference<>(kept), new PhantomReference<>(kept, QUEUE),
                                   new OwnWeak(kept, new Object()), new SoftReference<Object>(new long[i]), new Finalized()});
        }
    }

    static void code() throws Exception {
        for (int i = 0; i < 3; i++) {
            Object captured = new Object[] {i};
            Supplier<Object> lambda = () -> captured;
            KEPT.add(lambda);
        }
        Supplier<Object> free = Object::new;
        KEPT.add(free.get());
        MethodHandle handle = MethodHandles.lookup().findStatic(Shapes.class, "filled", MethodType.methodType(Map.class, Map.class));
        KEPT.add(handle);
        InvocationHandler handler = (proxy, method, arguments) -> null;
        KEPT.add(Proxy.newProxyInstance(Shapes.class.getClassLoader(), new Class<?>[] {Runnable.class, Named.class}, handler));
        for (Method method : Shapes.class.getDeclaredMethods()) KEPT.add(method);
        KEPT.add(Shapes.class.getDeclaredConstructors());
        KEPT.add(new ClassValue<Object>() {
            @Override
            protected Object computeValue(Class<?> type) {
                return new Object[] {type};
            }
        }.get(Leaf.class));
        KEPT.add(Named.LATE);
        KEPT.add(new Class<?>[] {int.class, int[].class, Leaf[][].class, void.class});
    }

    static void threads() throws Exception {
        LOCAL.set(new Object[] {"main's"});
        CountDownLatch started = new CountDownLatch(8);
        for (int i = 0; i < 8; i++) {
            Thread thread = new Thread(() -> hold(started, new Object[] {"frame", LOCAL}), "holder " + i);
            thread.setDaemon(true);
            thread.start();
        }
        started.await();
        virtual();
        Thread.sleep(200);  // so that all of them have come to rest
    }

    static void hold(CountDownLatch started, Object local) {
        LOCAL.set(local);
        Object monitor = new Object();
        synchronized (monitor) {
            started.countDown();
            while (true) LockSupport.park(local);
        }
    }

    /** Virtual threads, where there are any. */
    static void virtual() throws Exception {
        Method start;
        try {
            start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException tooOld) {
            return;
        }
        int count = Integer.getInteger("virtual", 50);
        CountDownLatch started = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            Object local = new Object[] {new int[i % 100]};
            KEPT.add(start.invoke(null, (Runnable) () -> rest(started, new Object[] {local})));
        }
        started.await();
    }

    static void rest(CountDownLatch started, Object onlyHere) {
        Object[] alsoHere = {onlyHere, new long[3]};
        started.countDown();
        while (true) LockSupport.park(alsoHere);
    }

    static boolean sound() {
        Object[] humongous = (Object[]) KEPT.stream().filter(o -> o instanceof Object[] && ((Object[]) o).length == 1 << 18).findFirst().get();
        int leaves = 0;
        for (Object kept : KEPT)
            if (kept instanceof Leaf && ((Leaf) kept).inLeaf == kept && ((Leaf) kept).array[1] == ((Leaf) kept).array) leaves++;
        return humongous[humongous.length - 1] == humongous && leaves == 3_000 && NESTED[1][2][3] == NESTED;
    }
}
