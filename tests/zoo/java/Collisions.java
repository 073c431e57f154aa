import java.util.HashMap;
import java.util.Map;

/** BITS: a map whose 2^BITS keys all have one hash code, so that its buckets are trees. */
final class Collisions {
    static final class Value {
        final long[] figures = new long[8];
    }

    private static final Map<String, Value> ALL_ALIKE = new HashMap<>();

    public static void main(String[] words) throws Exception {
        int bits = Integer.parseInt(words[0]);
        for (int i = 0; i < 1 << bits; i++) {
            StringBuilder key = new StringBuilder();
            for (int bit = 0; bit < bits; bit++) {
                key.append((i >> bit & 1) == 0 ? "Aa" : "BB");  // of one hash code
            }
            ALL_ALIKE.put(key.toString(), new Value());
        }
        Gap.serve();
    }
}
