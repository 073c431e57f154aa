import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** OBJECTS, or 0 for until memory ends: lists of nodes in a map; each node refers to a random earlier one. */
final class CrossReferences {
    static final class Node {
        final Node other;
        final int value;

        Node(Node other, int value) {
            this.other = other;
            this.value = value;
        }
    }

    private static final int NODES = 10;
    private static final Map<Integer, List<Node>> GRAPH = new HashMap<>();
    private static final List<byte[]> PAYLOAD = new ArrayList<>();

    public static void main(String[] words) throws Exception {
        long objects = Long.parseLong(words[0]);
        Random random = new Random(1);
        for (int i = 0; objects == 0 || i * (NODES + 4L) < objects; i++) {
            List<Node> nodes = new ArrayList<>();
            for (int j = 0; j < NODES; j++) {
                Node other = i == 0 ? null : GRAPH.get(random.nextInt(i)).get(random.nextInt(NODES));
                nodes.add(new Node(other, j));
            }
            GRAPH.put(i, nodes);
            PAYLOAD.add(new byte[2_500]);
        }
        Gap.serve();
    }
}
