package load;

import java.lang.management.ManagementFactory;
import java.util.function.Supplier;

/** What an object takes on this VM's heap, by what the VM says that a thread has allocated. */
final class Sizes {
    private static final int OBJECTS = 64;
    private static final int TRIES = 7;
    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    static volatile Object sink;

    private Sizes() {}

    /** `make` allocates one object and nothing else. */
    static long of(Supplier<Object> make) {
        long self = Thread.currentThread().getId();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < TRIES; i++) {  // a try in which the VM allocates something for itself is not the least
            long before = THREADS.getThreadAllocatedBytes(self);
            for (int k = 0; k < OBJECTS; k++) sink = make.get();
            long after = THREADS.getThreadAllocatedBytes(self);
            long none = THREADS.getThreadAllocatedBytes(self) - after;
            least = Math.min(least, after - before - none);
        }
        return least / OBJECTS / 8 * 8;
    }
}
