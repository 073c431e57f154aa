import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.eclipse.jdt.internal.compiler.ClassFile;
import org.eclipse.jdt.internal.compiler.CompilationResult;
import org.eclipse.jdt.internal.compiler.batch.Main;

/** The kind of DaCapo's eclipse, without the workbench: its compiler compiles Java sources. The sources are files, the classes stay in memory. */
final class SourceCompiler implements Rounds.Program {
    private static final int CLASSES = 10;
    private static final int METHODS = 14;  // of a class

    private static final int MAGIC = 0xcafebabe;

    private final Path directory;
    private final List<Path> sources = new ArrayList<>();

    private SourceCompiler() throws IOException {
        directory = Files.createTempDirectory("source-compiler-");
        for (int i = 0; i < CLASSES; i++) {
            Path file = directory.resolve("Part" + i + ".java");
            Files.writeString(file, source(i, new Random(i)));
            sources.add(file);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Rounds.run(new SourceCompiler(), arguments);
    }

    @Override
    public long round() {
        StringWriter said = new StringWriter();
        InMemory compiler = new InMemory(new PrintWriter(said));
        List<String> words = new ArrayList<>(List.of("-source", "8", "-target", "8", "-g", "-nowarn", "-proc:none", "-d", directory.toString()));
        sources.forEach(source -> words.add(source.toString()));
        boolean compiled = compiler.compile(words.toArray(new String[0]));
        Rounds.check(compiled && compiler.classes.size() >= CLASSES * 4, "%d classes; the compiler says: %s", compiler.classes.size(), said);
        Digest digest = new Digest();
        compiler.classes.forEach((name, bytes) -> digest.add(name).add(bytes));
        return digest.value();
    }

    @Override
    public void end() throws IOException {
        for (Path source : sources) {
            Files.delete(source);
        }
        Files.delete(directory);
    }

    private static final class InMemory extends Main {
        private final Map<String, byte[]> classes = new TreeMap<>();

        InMemory(PrintWriter messages) {
            super(messages, messages, false, null, null);
        }

        @Override
        public void outputClassFiles(CompilationResult result) {
            if (result == null || result.hasErrors()) {
                return;
            }
            for (ClassFile file : result.getClassFiles()) {
                byte[] bytes = file.getBytes();
                int magic = bytes[0] << 24 | (bytes[1] & 0xff) << 16 | (bytes[2] & 0xff) << 8 | bytes[3] & 0xff;
                Rounds.check(magic == MAGIC, "no class file");
                classes.put(new String(file.fileName()), bytes);
            }
        }
    }

    // --- sources: generic classes, nested classes, lambdas, streams, switches, exceptions, text --------------------------

    private static String source(int number, Random random) {
        String name = "Part" + number;
        StringBuilder made = new StringBuilder("import java.util.*;\nimport java.util.function.*;\nimport java.util.stream.*;\n\n/** A part. */\npublic class ")
            .append(name).append("<T extends Comparable<T>> {\n  private final Map<String, List<T>> known = new HashMap<>();\n  private int counter = ")
            .append(random.nextInt(100)).append(";\n  enum Kind { SMALL, MEDIUM, LARGE }\n")
            .append("  interface Visitor<R> { R visit(Node node, int depth); }\n")
            .append("  static class Node { Node left, right; int value; Node(int value) { this.value = value; }\n")
            .append("    <R> R accept(Visitor<R> visitor, int depth) { return visitor.visit(this, depth); } }\n");
        for (int i = 0; i < METHODS; i++) {
            made.append(method(number, i, random));
        }
        return made.append("}\n").toString();
    }

    private static String method(int number, int index, Random random) {
        String other = "Part" + random.nextInt(CLASSES);
        int constant = random.nextInt(1_000);
        switch (index % 7) {
            case 0: return "  public List<T> sorted" + index + "(Collection<? extends T> given) {\n    List<T> copy = new ArrayList<>(given);\n"
                + "    copy.removeIf(Objects::isNull);\n    Collections.sort(copy);\n    known.computeIfAbsent(\"k\" + copy.size(), key -> new ArrayList<>()).addAll(copy);\n"
                + "    return copy.stream().filter(x -> x.hashCode() % " + (constant + 2) + " != 0).collect(Collectors.toList());\n  }\n";
            case 1: return "  int loop" + index + "(int[] numbers, long limit) {\n    int sum = " + constant + ";\n    outer:\n    for (int i = 0; i < numbers.length; i++) {\n"
                + "      for (int j = i; j < numbers.length; j++) {\n        if (numbers[i] * numbers[j] > limit) continue outer;\n        sum += numbers[i] ^ numbers[j] << 2;\n"
                + "        if (sum < 0) break outer;\n      }\n    }\n    return sum;\n  }\n";
            case 2: return "  String text" + index + "(Kind kind, Object thing) {\n    String found;\n    switch (kind) {\n      case SMALL: found = \"small \" + thing; break;\n"
                + "      case MEDIUM: found = thing == null ? \"none\" : thing.toString() + counter++; break;\n      default: found = String.format(\"%s/%d\", thing, "
                + constant + ");\n    }\n    return found.isEmpty() ? name() : found + '!' + kind.ordinal();\n  }\n" + (index == 2 ? "  String name() { return getClass().getName(); }\n" : "");
            case 3: return "  static long guarded" + index + "(Supplier<? extends Number> source) {\n    try {\n      return source.get().longValue() / " + (constant + 1)
                + ";\n    } catch (ArithmeticException | NullPointerException e) {\n      return -1;\n    } finally {\n      Node node = new Node(" + constant
                + ");\n      node.left = node.right = new Node(node.value + 1);\n    }\n  }\n";
            case 4: return "  <R> Map<R, Long> grouped" + index + "(List<Function<? super T, ? extends R>> steps, List<T> given) {\n    return given.stream().flatMap(x -> steps.stream().map(step -> (R) step.apply(x)))\n"
                + "      .collect(Collectors.groupingBy(Function.identity(), TreeMap::new, Collectors.counting()));\n  }\n".replace("TreeMap::new", "HashMap::new");
            case 5: return "  " + other + "<String> other" + index + "() {\n    " + other + "<String> made = new " + other + "<String>() {\n      @Override public String toString() { return \"a part of \" + "
                + "counter + super.toString(); }\n    };\n    Runnable later = () -> { counter += made.hashCode(); known.clear(); };\n    later.run();\n    return made;\n  }\n";
            default: return "  int deep" + index + "(Node root) {\n    return root.accept((node, depth) -> {\n      int here = node.value * depth;\n      if (node.left != null) here += node.left.value;\n"
                + "      return node.right == null ? here : here + node.right.accept((inner, below) -> inner.value - below + " + constant + ", depth + 1);\n    }, 0);\n  }\n";
        }
    }
}
