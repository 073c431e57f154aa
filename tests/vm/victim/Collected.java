import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/**
 * A program that knows what its collector did. One command a line, one answer each:
 *   make MB        made MB                 that much is held, in arrays of 100 KB
 *   drop           dropped                 and is no longer
 *   collect        collected USED          System.gc(), then the bytes in use
 *   counts         counts NAME COUNT MS    of each collector, in one line, after a ':' each
 */
final class Collected {
  private static final int ARRAY = 100_000;
  private static final List<byte[]> HELD = new ArrayList<>();

  private static String make(int megabytes) {
    for (long bytes = 0; bytes < ((long) megabytes << 20); bytes += ARRAY) HELD.add(new byte[ARRAY]);
    return "made " + megabytes;
  }

  private static String collect() {
    System.gc();
    return "collected " + (Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
  }

  private static String counts() {
    StringBuilder text = new StringBuilder("counts");
    for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans())
      text.append(':').append(bean.getName()).append(',').append(bean.getCollectionCount()).append(',').append(bean.getCollectionTime());
    return text.toString();
  }

  private static String answer(String[] words) {
    switch (words[0]) {
      case "make":
        return make(Integer.parseInt(words[1]));
      case "drop":
        HELD.clear();
        return "dropped";
      case "collect":
        return collect();
      case "counts":
        return counts();
      default:
        return "what?";
    }
  }

  public static void main(String[] arguments) throws IOException {
    counts();  // loads what that takes
    System.out.println("READY");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line = in.readLine(); line != null; line = in.readLine()) System.out.println(answer(line.split(" ")));
  }
}
