import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A program that allocates as fast as it can, and what it allocates dies: but for one object in a thousand.
 * "leak": that one stays for good; the program allocates a gigabyte a second at most, so that as many samples fall between two collections on a fast
 * machine as on a slow one. "rest": the last 2,000 of them stay, and a cache that was filled at the start. "stop": as "leak",
 * and rows of an import, of which every tenth stays, but for those there are no more after STOP_AFTER collections.
 * Prints how many collections there were, ten times a second, and once "STOPPED" and how many rows stay.
 */
final class Ager {
  static final class Session {
    final long id;
    final Object[] cart = new Object[4];
    Session(long id) { this.id = id; }
  }

  static final class Order {
    final Session of;
    final String text;
    Order(Session of, String text) { this.of = of; this.text = text; }
  }

  static final class Entry {
    final byte[] content = new byte[200];
  }

  /** 144 bytes, so that what stays of them matters. */
  static final class ImportRow {
    long a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
  }

  private static final int STOP_AFTER = 40;
  private static final int KEPT = 2_000;
  private static final int ITERATION_OBJECTS = 10;
  private static final long PACED_ITERATIONS = 4_000_000;  // a second; 270 bytes each
  static final List<Session> LEAK = new ArrayList<>();
  static final List<ImportRow> IMPORTED = new ArrayList<>();
  static final Session[] RECENT = new Session[KEPT];
  static final Map<Integer, Entry> CACHE = new HashMap<>();
  static Object sink;

  private static long collections() {
    long sum = 0;
    for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) sum += Math.max(bean.getCollectionCount(), 0);
    return sum;
  }

  private static void iterate(long i, boolean leak) {
    Session session = new Session(i);
    for (int k = 0; k < 3; ++k) session.cart[k] = new Order(session, Long.toString(i + k));
    sink = session;
    if (i % (1_000 / ITERATION_OBJECTS) != 0) return;
    if (leak) LEAK.add(session);
    else RECENT[(int) (i / (1_000 / ITERATION_OBJECTS) % KEPT)] = session;
    session.cart[0] = session.cart[1] = session.cart[2] = null;
  }

  /** Waits where the program is ahead of its pace. What a pause or a busy machine took is not made up for. */
  private static long paced(long from, long i) throws InterruptedException {
    long now = System.nanoTime();
    long due = from + i * 1_000_000_000L / PACED_ITERATIONS;
    if (due - now > 2_000_000L) Thread.sleep((due - now) / 1_000_000L);
    return now > due ? from + (now - due) : from;
  }

  private static void importOne(long i) {
    ImportRow row = new ImportRow();
    sink = row;
    if (i % 50 == 0) IMPORTED.add(row);
  }

  public static void main(String[] arguments) throws InterruptedException {
    boolean importing = arguments[0].equals("stop");
    boolean paced = arguments[0].equals("leak");
    boolean leak = importing || paced;
    long until = System.nanoTime() + Long.parseLong(arguments[1]) * 1_000_000_000L;
    for (int i = 0; i < 20_000; ++i) CACHE.put(i, new Entry());
    System.out.println("READY");
    long next = 0;
    long from = System.nanoTime();
    for (long i = 0;; ++i) {
      iterate(i, leak);
      if (importing && i % 5 == 0) importOne(i);
      if (i % 1_000 != 0) continue;
      if (paced) from = paced(from, i);
      long now = System.nanoTime();
      if (now >= until) break;
      if (now < next) continue;
      next = now + 100_000_000L;
      long count = collections();
      System.out.println("COLLECTIONS " + count);
      if (!importing || count < STOP_AFTER) continue;
      importing = false;
      System.out.println("STOPPED " + IMPORTED.size());
    }
  }
}
