import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * Every way into and out of a method, for a program whose classes are rewritten: each asks the state that its class' account should have set. The
 * methods that are asked are put into java.lang.Object by the test, and are reached by reflection in Accounts, which is not rewritten.
 */
public class Accounted {
    static final int[] TABLE = {1, 2, 3};
    final Object first;
    final long second;

    Accounted() {
        this(inside(new Object()), 5L);  // works in its arguments
        Accounts.expectInside("behind this()");
    }

    Accounted(Object first, long second) {
        this.first = first;
        this.second = second;
    }

    Accounted(int[] values, boolean which) {
        this(which ? new Accounted(values, 1.5) : inside("no"), which ? values.clone().length : 2L);
    }

    Accounted(int[] values, double ratio) {
        super();
        first = values.length > 2 ? new Object[3][2][] : new long[4];
        second = (long) (ratio * values.length);
        Accounts.expectInside("constructor");
    }

    Accounted(String text) {
        this(fail(text), 1L);  // throws before this()
    }

    static class Below extends Accounted {
        final Accounted inner;
        Below(int depth) {
            super(depth > 0 ? new Below(depth - 1) : null, depth);
            inner = depth > 1 ? new Below(depth - 2) : new Accounted("x", 0L);
        }
    }

    // What is above runs in the account of whoever makes one, not in that of the class below.
    static class Above extends Accounts.Outside {
        Above() {
            super(inside("argument"));
            Accounts.expectInside("behind super()");
        }
    }

    static Object inside(Object value) {
        Accounts.expectInside("a static method");
        return value;
    }

    static Object fail(String text) {
        Accounts.expectInside("what throws");
        throw new IllegalStateException(text);
    }

    static int loopFromTheStart(int n) {
        while (true) {
            if (inside(n) == null) return 0;
            if (--n < 0) return n;
        }
    }

    static boolean truth(int n) { return inside(n) != null; }
    static long big(int n) { return (Integer) inside(n) + 1L; }
    static float small(int n) { return (Integer) inside(n) + 0.5f; }
    static double wide(int n) { return (Integer) inside(n) + 0.25; }
    static byte[] bytes(int n) { return new byte[n]; }

    static String strings(int n) {
        switch (n) {
            case 0: return "zero" + inside(n);
            case 1: return String.valueOf(inside(n));
            case 2: throw new IllegalArgumentException("two");
            case 1000: return "thousand".substring(n / 500);
            case 100000: return new StringBuilder("more").append(n).toString();
            default: return null;
        }
    }

    static int caught(int n) {
        int value = 1;
        try {
            value = 2;
            strings(n);
            return value;
        } catch (IllegalArgumentException error) {
            Accounts.expectInside("a handler");
            return value + error.getMessage().length();
        } finally {
            Accounts.expectInside("finally");
            value = 4;
        }
    }

    synchronized Object locked(Object other) throws Exception {
        synchronized (other) {
            if (other == this) throw new Exception("itself");
            return inside(other);
        }
    }

    static int lambdas() throws Exception {
        int[] sum = {0};
        IntSupplier three = () -> ((Integer) inside(3));
        Supplier<Accounted> maker = Accounted::new;
        Callable<Integer> all = () -> three.getAsInt() + (int) maker.get().second;
        List<Integer> list = new ArrayList<>(Arrays.asList(1, 2, 3));
        list.forEach(i -> sum[0] += (Integer) inside(i));
        return sum[0] + all.call();
    }

    static long manyLocals(long a, double b, int c) {
        long d = a + c, e = d * 2, f = e ^ a;
        double g = b * 2, h = g + f;
        Object o = inside(h);
        for (int i = 0; i < c; i++) {
            long k = i * d;
            if (k > 10) f += k;
            else o = inside(f);
        }
        return f + (o == null ? 1 : 2);
    }

    interface Shaped {
        int[] SIZES = {1, 2};
        default int corners() { return ((int[]) inside(SIZES)).length; }
        static Shaped square() { return new Shaped() { }; }
    }

    enum Kind { A, B { @Override int weight() { return inside(2) == null ? 0 : 2; } }; int weight() { return 1; } }

    static class Pair implements Cloneable {
        final int[] left;
        Pair(int[] left) { this.left = left.clone(); }
        Pair twin() throws CloneNotSupportedException { return (Pair) clone(); }
    }

    static int run() throws Exception {
        int sum = loopFromTheStart(3) + (truth(1) ? 1 : 0) + (int) big(2) + (int) small(3) + (int) wide(4) + bytes(5).length;
        for (int n : new int[] {0, 1, 1000, 100000, 7}) sum += caught(n);
        sum += caught(2);
        sum += lambdas() + (int) manyLocals(1, 2, 30) + Shaped.square().corners();
        sum += Kind.B.weight() + Kind.values().length + new Pair(TABLE).twin().left.length;
        sum += (int) new Accounted().second + (int) new Accounted(TABLE, true).second + (int) new Accounted(TABLE, false).second;
        sum += new Below(5).inner.second;
        Accounted one = new Accounted("y", 1L);
        sum += one.locked("x").toString().length();
        try {
            one.locked(one);
        } catch (Exception itself) {
            sum += itself.getMessage().length();
        }
        Accounts.expectInside("the end");
        return sum;
    }

    static void escape() { fail("thrown out of here"); }
}
