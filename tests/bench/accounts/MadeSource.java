import java.util.Random;

/** Java sources for SourceCompiler: generic and nested classes, lambdas, streams, switches, exceptions, text. They use each other and compile. */
final class MadeSource {
    private static final String HEAD = """
        import java.util.*;
        import java.util.function.*;
        import java.util.stream.*;

        /** A part. */
        public class NAME<T extends Comparable<T>> {
          private final Map<String, List<T>> known = new HashMap<>();
          private int counter = NUMBER;
          enum Kind { SMALL, MEDIUM, LARGE }
          interface Visitor<R> { R visit(Node node, int depth); }
          static class Node {
            Node left, right;
            int value;
            Node(int value) { this.value = value; }
            <R> R accept(Visitor<R> visitor, int depth) { return visitor.visit(this, depth); }
          }
          String name() { return getClass().getName(); }
        """;

    private static final String[] METHODS = {
        """
          public List<T> sortedINDEX(Collection<? extends T> given) {
            List<T> copy = new ArrayList<>(given);
            copy.removeIf(Objects::isNull);
            Collections.sort(copy);
            known.computeIfAbsent("k" + copy.size(), key -> new ArrayList<>()).addAll(copy);
            return copy.stream().filter(x -> x.hashCode() % NUMBER != 0).collect(Collectors.toList());
          }
        """,
        """
          int loopINDEX(int[] numbers, long limit) {
            int sum = NUMBER;
            outer:
            for (int i = 0; i < numbers.length; i++) {
              for (int j = i; j < numbers.length; j++) {
                if (numbers[i] * numbers[j] > limit) continue outer;
                sum += numbers[i] ^ numbers[j] << 2;
                if (sum < 0) break outer;
              }
            }
            return sum;
          }
        """,
        """
          String textINDEX(Kind kind, Object thing) {
            String found;
            switch (kind) {
              case SMALL: found = "small " + thing; break;
              case MEDIUM: found = thing == null ? "none" : thing.toString() + counter++; break;
              default: found = String.format("%s/%d", thing, NUMBER);
            }
            return found.isEmpty() ? name() : found + '!' + kind.ordinal();
          }
        """,
        """
          static long guardedINDEX(Supplier<? extends Number> source) {
            try {
              return source.get().longValue() / NUMBER;
            } catch (ArithmeticException | NullPointerException e) {
              return -1;
            } finally {
              Node node = new Node(NUMBER);
              node.left = node.right = new Node(node.value + 1);
            }
          }
        """,
        """
          <R> Map<R, Long> groupedINDEX(List<Function<? super T, ? extends R>> steps, List<T> given) {
            return given.stream().flatMap(x -> steps.stream().map(step -> (R) step.apply(x)))
              .collect(Collectors.groupingBy(Function.identity(), HashMap::new, Collectors.counting()));
          }
        """,
        """
          OTHER<String> otherINDEX() {
            OTHER<String> made = new OTHER<String>() {
              @Override public String toString() { return "a part of " + counter + super.toString(); }
            };
            Runnable later = () -> { counter += made.hashCode(); known.clear(); };
            later.run();
            return made;
          }
        """,
        """
          int deepINDEX(Node root) {
            return root.accept((node, depth) -> {
              int here = node.value * depth;
              if (node.left != null) here += node.left.value;
              return node.right == null ? here : here + node.right.accept((inner, below) -> inner.value - below + NUMBER, depth + 1);
            }, 0);
          }
        """,
    };

    private MadeSource() { }

    static String name(int number) {
        return "Part" + number;
    }

    /** number: of the source; methods use any of `sources`. */
    static String text(int number, int methods, int sources) {
        Random random = new Random(number);
        StringBuilder made = new StringBuilder(filled(HEAD, number, random));
        for (int i = 0; i < methods; i++) {
            String other = name(random.nextInt(sources));
            made.append(filled(METHODS[i % METHODS.length].replace("INDEX", Integer.toString(i)).replace("OTHER", other), number, random));
        }
        return made.append("}\n").toString();
    }

    private static String filled(String text, int number, Random random) {
        return text.replace("NAME", name(number)).replace("NUMBER", Integer.toString(2 + random.nextInt(1_000)));
    }
}
