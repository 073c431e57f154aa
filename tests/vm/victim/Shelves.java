import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.ref.SoftReference;

/** An array of nodes, each with an array of its own, one behind a soft reference; "exit" ends it. */
public class Shelves {
    static Node[] shelf;
    static SoftReference<Node> soft;

    static class Node {
        final Node next;
        final int[] load;
        final long number;

        Node(Node next, int length, long number) {
            this.next = next;
            this.load = new int[length];
            this.number = number;
        }
    }

    public static void main(String[] arguments) throws Exception {
        shelf = new Node[Integer.getInteger("nodes", 20_000)];
        for (int i = 0; i < shelf.length; i++) shelf[i] = new Node(i % 10 == 0 ? null : shelf[i - 1], i % 7, i);
        soft = new SoftReference<>(shelf[shelf.length / 2]);
        System.out.println("READY");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null && !line.equals("exit"); ) System.out.println("UNKNOWN " + line);
    }
}
