import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
            Path file = directory.resolve(MadeSource.name(i) + ".java");
            Files.writeString(file, MadeSource.text(i, METHODS, CLASSES));
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
}
