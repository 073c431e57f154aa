package load.plugin;

/** Loaded many times, each time by a loader of its own that is dropped afterwards. */
public final class Plugin implements java.util.function.IntConsumer {
    static volatile Object sink;

    public static class Thing {
        long a;
        long b;
        long c;
    }

    @Override
    public void accept(int n) {
        for (int i = 0; i < n; i++) sink = new Thing();
    }
}
