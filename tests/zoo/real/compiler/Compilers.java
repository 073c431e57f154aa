import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A compiler under way over so many sources, again and again: java|kotlin SOURCES. */
final class Compilers {
    private interface Compiler {
        int compile(String... words);
    }

    private Compilers() {}

    public static void main(String[] words) throws Exception {
        boolean java = words[0].equals("java");
        Path sources = Clients.directory();
        Path classes = Files.createDirectory(sources.resolve("classes"));
        List<String> arguments = new ArrayList<>(java
                ? Arrays.asList("-proc:none", "-nowarn", "-d", classes.toString())
                : Arrays.asList("-nowarn", "-no-reflect", "-kotlin-home", "/usr/share/kotlin/kotlinc", "-d", classes.toString()));
        for (int i = 0; i < Integer.parseInt(words[1]); i++) {
            arguments.add(java ? javaSource(sources, i) : kotlinSource(sources, i));
        }
        Compiler compiler = java ? javac() : kotlinc();
        CountDownLatch warm = new CountDownLatch(1);
        Thread worker = new Thread(() -> compileOnAndOn(compiler, arguments.toArray(new String[0]), warm), "compiler");
        worker.setDaemon(true);
        worker.start();
        warm.await();
        Thread.sleep(1_000);  // in the midst of the next one
        Gap.serve();
    }

    private static void compileOnAndOn(Compiler compiler, String[] words, CountDownLatch warm) {
        while (true) {
            int status = compiler.compile(words);
            if (status != 0) {
                System.err.println("the compiler ends with " + status);
                System.exit(1);
            }
            warm.countDown();
        }
    }

    private static Compiler javac() {
        javax.tools.JavaCompiler compiler = javax.tools.ToolProvider.getSystemJavaCompiler();
        return words -> compiler.run(null, System.err, System.err, words);
    }

    /** Found by name: the package may be missing. */
    private static Compiler kotlinc() throws ReflectiveOperationException {
        Class<?> type = Class.forName("org.jetbrains.kotlin.cli.jvm.K2JVMCompiler");
        java.lang.reflect.Method exec = type.getMethod("exec", PrintStream.class, String[].class);
        return words -> {
            try {
                Object status = exec.invoke(type.getConstructor().newInstance(), System.err, words);
                return ((Enum<?>) status).ordinal();
            } catch (ReflectiveOperationException error) {
                error.printStackTrace();
                return -1;
            }
        };
    }

    private static String javaSource(Path directory, int i) throws IOException {
        StringBuilder text = new StringBuilder("import java.util.*;\nfinal class Part" + i + " {\n");
        for (int j = 0; j < 20; j++) {
            text.append("  static Map<String, List<Integer>> sums").append(j).append("(List<String> names) {\n")
                .append("    Map<String, List<Integer>> found = new TreeMap<>();\n")
                .append("    for (String name : names) found.computeIfAbsent(name.trim(), key -> new ArrayList<>()).add(key(name) + ").append(i).append(");\n")
                .append("    found.values().removeIf(list -> list.stream().mapToInt(Integer::intValue).sum() < ").append(j).append(");\n")
                .append("    return found;\n  }\n");
        }
        text.append("  static int key(String name) { return name.length() * ").append(i).append("; }\n}\n");
        return Files.write(directory.resolve("Part" + i + ".java"), text.toString().getBytes()).toString();
    }

    private static String kotlinSource(Path directory, int i) throws IOException {
        StringBuilder text = new StringBuilder("package parts\n\nclass Part" + i + " {\n");
        for (int j = 0; j < 20; j++) {
            text.append("  fun sums").append(j).append("(names: List<String>): Map<String, List<Int>> =\n")
                .append("    names.groupBy({ it.trim() }, { key(it) + ").append(i).append(" }).filterValues { list -> list.sum() >= ").append(j).append(" }\n");
        }
        text.append("  fun key(name: String) = name.length * ").append(i).append("\n}\n");
        return Files.write(directory.resolve("Part" + i + ".kt"), text.toString().getBytes()).toString();
    }
}
