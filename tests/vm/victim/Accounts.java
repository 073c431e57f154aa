import java.lang.reflect.Method;

/** Runs Accounted and asks for the state: 7 inside, what it was before outside. Is not rewritten itself. */
public class Accounts {
    private static final long INSIDE = 7;
    private static final long OUTSIDE = 0;
    private static final Method ENTER = find("hf$enter", int.class);
    private static final Method LEAVE = find("hf$leave", long.class);
    private static int asked;

    static class Outside {
        Outside(Object ignored) { expect(OUTSIDE, "above an accounted class"); }
    }

    private static Method find(String name, Class<?> argument) {
        try {
            return Object.class.getMethod(name, argument);
        } catch (NoSuchMethodException missing) {
            throw new IllegalStateException(missing);
        }
    }

    private static long state() {
        try {
            long state = (Long) ENTER.invoke(null, 0);
            LEAVE.invoke(null, state);
            return state;
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    static void expect(long wanted, String where) {
        asked++;
        if (state() != wanted) throw new AssertionError(where + ": the state is " + state() + ", not " + wanted);
    }

    static void expectInside(String where) { expect(INSIDE, where); }

    public static void main(String[] arguments) throws Exception {
        expect(OUTSIDE, "before all");
        int sum = 0;
        for (int round = 0; round < 20000; round++) {  // compiled on the way
            sum = Accounted.run();
            expect(OUTSIDE, "afterwards");
            new Accounted.Above();
            expect(OUTSIDE, "after a constructor");
        }
        for (Runnable escape : new Runnable[] {Accounted::escape, () -> new Accounted("thrown before this()")}) {
            try {
                escape.run();
                throw new AssertionError("nothing was thrown");
            } catch (IllegalStateException thrown) {
                expect(OUTSIDE, thrown.getMessage());
            }
        }
        System.out.println("sum " + sum + ", asked " + (asked > 0));
    }
}
