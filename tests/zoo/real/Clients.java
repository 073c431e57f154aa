import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Clients of a server, in a process of their own: what they hold is not in the server's heap. */
final class Clients {
    private Clients() {}

    /** Starts MAIN with the class path of this program, and serves as soon as it says that the server is full. */
    static void start(Class<?> main, Object... words) throws IOException {
        List<String> command = new ArrayList<>(Arrays.asList(
                Paths.get(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                "-cp", System.getProperty("java.class.path"), main.getName()));
        for (Object word : words) {
            command.add(word.toString());
        }
        Process clients = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        Thread server = new Thread(() -> serveWhenFull(clients), "waits for clients");
        server.setDaemon(true);
        server.start();
    }

    private static void serveWhenFull(Process clients) {
        try {
            BufferedReader said = new BufferedReader(new InputStreamReader(clients.getInputStream()));
            String line = said.readLine();
            while (line != null && !line.equals("FULL")) {
                line = said.readLine();
            }
            if (line == null) {
                throw new IOException("the clients have ended");
            }
            Gap.serve();
        } catch (IOException error) {
            error.printStackTrace();
            System.exit(1);
        }
    }

    /** Of the clients: ends when the server does, whose end of the pipe it is. */
    static void endWithServer() {
        Thread watcher = new Thread(() -> {
            try {
                while (System.in.read() >= 0) {
                    Thread.yield();
                }
            } catch (IOException error) {
                // the same
            }
            Runtime.getRuntime().halt(0);
        }, "watches the server");
        watcher.setDaemon(true);
        watcher.start();
    }

    /** A directory that goes when the program does. */
    static Path directory() throws IOException {
        Path directory = Files.createTempDirectory("zoo");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(directory)));
        return directory;
    }

    private static void remove(Path directory) {
        try (Stream<Path> all = Files.walk(directory)) {
            all.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        } catch (IOException error) {
            error.printStackTrace();
        }
    }
}
