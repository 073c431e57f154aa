/** LENGTH: a list of millions of nodes, each of which refers to the next. */
final class LongList {
    static final class Node {
        Node next;
        long value;
    }

    private static Node head;

    public static void main(String[] words) throws Exception {
        for (int i = 0; i < Integer.parseInt(words[0]); i++) {
            Node node = new Node();
            node.next = head;
            node.value = i;
            head = node;
        }
        Gap.serve();
    }
}
