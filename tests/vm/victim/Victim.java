import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Does what its standard input says, one word a line, and answers with one line each: a VM for bad luck. */
public class Victim {
    static final Map<Integer, Node> KEPT = new HashMap<>();

    static class Node {
        final Node next;
        final byte[] load;

        Node(Node next, int bytes) {
            this.next = next;
            this.load = new byte[bytes];
        }
    }

    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < Integer.getInteger("nodes", 20_000); i++) KEPT.put(i, new Node(KEPT.get(i - 1), 64));
        System.out.println("READY");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) answer(line);
    }

    static void answer(String word) {
        switch (word) {
            case "check": System.out.println("SOUND " + sound()); break;
            case "fill": fill(); break;
            case "exit": System.exit(0); break;
            default: System.out.println("UNKNOWN " + word);
        }
    }

    /** Every object is where it was put. */
    static boolean sound() {
        for (int i = 0; i < KEPT.size(); i++)
            if (KEPT.get(i).load.length != 64 || KEPT.get(i).next != KEPT.get(i - 1)) return false;
        return true;
    }

    static void fill() {
        List<byte[]> hoard = new ArrayList<>();
        try {
            while (true) hoard.add(new byte[100_000]);
        } catch (OutOfMemoryError error) {
            int count = hoard.size();
            hoard = null;
            System.out.println("FULL " + count);
        }
    }
}
