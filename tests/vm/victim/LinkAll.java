import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Loads and links, but does not initialise, every class below a directory, so that the verifier sees each of them.
 *
 * LinkAll boot DIR            the classes of DIR are those of java.base; they are asked for by name
 * LinkAll path DIR [JAR...]   they are loaded from DIR, what they need from the JARs, too
 */
public class LinkAll {
    private static int linked;
    private static int missing;
    private static int refused;

    public static void main(String[] arguments) throws IOException {
        Path root = Path.of(arguments[1]);
        ClassLoader loader = null;
        if (arguments[0].equals("path")) {
            List<URL> places = new ArrayList<>();
            for (int i = 1; i < arguments.length; i++) places.add(Path.of(arguments[i]).toUri().toURL());
            loader = new URLClassLoader(places.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
        }
        List<Path> files;
        try (Stream<Path> walk = Files.walk(root)) {
            files = walk.filter(file -> file.toString().endsWith(".class")).sorted().toList();
        }
        for (Path file : files) {
            String name = root.relativize(file).toString();
            if (name.endsWith("module-info.class") || name.startsWith("META-INF")) continue;
            link(name.substring(0, name.length() - ".class".length()).replace('/', '.'), loader);
        }
        System.out.println(linked + " linked, " + missing + " miss others, " + refused + " refused");
    }

    private static void link(String name, ClassLoader loader) {
        try {
            Class.forName(name, false, loader).getDeclaredMethods();
            linked++;
        } catch (VerifyError | ClassFormatError | IncompatibleClassChangeError error) {
            refused++;
            System.out.println("refused: " + name + ": " + error.toString().lines().limit(12).toList());
        } catch (Throwable error) {
            missing++;
            System.out.println("missing: " + name + ": " + error.toString().lines().findFirst().orElse(""));
        }
    }
}
