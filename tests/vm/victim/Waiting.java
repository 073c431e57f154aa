import java.util.concurrent.CountDownLatch;

/** Threads that wait below many frames. What they hold, nothing else does: locals, and references of native code. */
public class Waiting {
  static class OnStack {}

  static class InVirtual {}

  static class Global {}

  static class Local {}

  static volatile Object seen;  // what was here is a real object, and no compiler leaves it out

  static native void keepGlobal(Object one);

  /** Holds each by a local reference of its own, empties the array, and calls back. */
  static native void keepLocals(Object[] all, Runnable then);

  static void down(int depth, CountDownLatch there) {
    OnStack mine = new OnStack();
    seen = mine;
    if (depth == 1) stay(there);
    else down(depth - 1, there);
    if (mine.hashCode() == 0) System.out.print("");
  }

  static void waitAbove(CountDownLatch there) {
    InVirtual mine = new InVirtual();
    seen = mine;
    stay(there);
    if (mine.hashCode() == 0) System.out.print("");
  }

  static void stay(CountDownLatch there) {
    there.countDown();
    try {
      Thread.sleep(3_600_000);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  static void start(Runnable body, String name) {
    Thread thread = new Thread(null, body, name, 4 << 20);
    thread.setDaemon(true);
    thread.start();
  }

  static Object[] locals(int count) {
    Object[] all = new Object[count];
    for (int i = 0; i < count; i++) all[i] = new Local();
    return all;
  }

  public static void main(String[] arguments) throws Exception {
    int threads = Integer.getInteger("threads", 0);
    int frames = Integer.getInteger("frames", 0);
    int virtual = Integer.getInteger("virtual", 0);
    int globals = Integer.getInteger("globals", 0);
    int locals = Integer.getInteger("locals", 0);
    CountDownLatch there = new CountDownLatch(threads + virtual + (locals > 0 ? 1 : 0));
    for (int i = 0; i < threads; i++) start(() -> down(frames, there), "deep " + i);
    for (int i = 0; i < virtual; i++)
      Thread.class
          .getMethod("startVirtualThread", Runnable.class)
          .invoke(null, (Runnable) () -> waitAbove(there));
    if (globals + locals > 0) System.load(System.getProperty("library"));
    for (int i = 0; i < globals; i++) keepGlobal(new Global());
    if (locals > 0) start(() -> keepLocals(locals(locals), () -> stay(there)), "native");
    there.await();
    seen = null;
    System.gc();
    System.out.println("READY");
    Thread.sleep(3_600_000);
  }
}
