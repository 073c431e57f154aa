import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Keeps some of everything that a heap dump tells apart, and has the VM dump itself to the file that is named. */
public class Keeper {
  static final Map<String, Object> KEPT = new HashMap<>();

  static class Node {
    Node next;
    byte[] data = new byte[37];
    int number;
    long stamp;
  }

  static class Leaf extends Node {
    Object other = KEPT;
    short small;
  }

  interface Listed {
    List<Object> ALL = new ArrayList<>();
  }

  public static void main(String[] arguments) throws Exception {
    Node head = null;
    for (int i = 0; i < 5000; i++) {
      Node node = i % 3 == 0 ? new Leaf() : new Node();
      node.next = head;
      head = node;
      if (i % 100 == 0) KEPT.put("key" + i, new Object[] {node, null, new SoftReference<>(new int[i % 50]), new WeakReference<>(node)});
    }
    Object[] wide = new Object[50_000];
    for (int i = 0; i < wide.length; i += 7) wide[i] = new Object();
    Listed.ALL.addAll(List.of(wide, new long[300_000], new String[60_000], new int[3][4][]));
    ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(arguments[0], true);
  }
}
