import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Large objects of which a test knows who they are: it says which grow, which go, and which are replaced by others of the same class. */
public final class Tracked {
    private static final class Shelf {
        private final List<byte[]> boxes = new ArrayList<>();

        void fill(int kilobytes) {
            for (int i = 0; i < kilobytes; i++) boxes.add(new byte[1024]);
        }
    }

    private static final Map<String, Shelf> SHOP = new HashMap<>();
    private static final Shelf[] ROW = new Shelf[3];
    private static volatile Shelf replaced = new Shelf();
    private static volatile boolean swapping;
    private static final List<long[]> MANY = new ArrayList<>();
    private static Object sink;

    private Tracked() {}

    private static void collect() {
        System.gc();
        System.gc();
    }

    // Another one, as large, in the same place.
    private static void swap() {
        Shelf other = new Shelf();
        other.fill(4000);
        replaced = other;
    }

    // Again and again, until `still`.
    private static void startSwapping() {
        swapping = true;
        Thread swapper = new Thread(() -> {
            while (swapping) swap();
        });
        swapper.setDaemon(true);
        swapper.start();
    }

    // Forty new large objects in the place of forty others.
    private static void shuffle() {
        MANY.clear();
        for (int i = 0; i < 40; i++) MANY.add(new long[600_000]);
    }

    private static void churn() {
        for (int i = 0; i < 400_000; i++) sink = new byte[1024];
    }

    private static void obey(String[] words) {
        if (words[0].equals("grow")) SHOP.get(words[1]).fill(Integer.parseInt(words[2]));
        else if (words[0].equals("drop")) SHOP.remove(words[1]);
        else if (words[0].equals("swap")) swap();
        else if (words[0].equals("swapping")) startSwapping();
        else if (words[0].equals("still")) swapping = false;
        else if (words[0].equals("churn")) churn();
        else if (words[0].equals("shuffle")) shuffle();
        else if (words[0].equals("collect")) collect();
        else throw new IllegalArgumentException(words[0]);
    }

    public static void main(String[] arguments) throws IOException {
        for (String name : Arrays.asList("bread", "wine", "cheese")) {
            SHOP.put(name, new Shelf());
            SHOP.get(name).fill(3000);
        }
        for (int i = 0; i < ROW.length; i++) {
            ROW[i] = new Shelf();
            ROW[i].fill(2000);
        }
        replaced.fill(4000);
        Shelf local = new Shelf();
        local.fill(5000);
        collect();
        System.out.println("READY");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            obey(line.split(" "));
            System.out.println("DONE " + line);
        }
        System.out.println(local.boxes.size() + replaced.boxes.size());
    }
}
