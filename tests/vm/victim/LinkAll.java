import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
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
        Path root = Paths.get(arguments[1]);
        ClassLoader loader = null;
        if (arguments[0].equals("path")) {
            List<URL> places = new ArrayList<>();
            for (int i = 1; i < arguments.length; i++) places.add(Paths.get(arguments[i]).toUri().toURL());
            loader = new URLClassLoader(places.toArray(new URL[0]), ClassLoader.getSystemClassLoader().getParent());
        }
        List<Path> files;
        try (Stream<Path> walk = Files.walk(root)) {
            files = walk.filter(file -> file.toString().endsWith(".class")).sorted().collect(Collectors.toList());
        }
        for (Path file : files) {
            String name = root.relativize(file).toString();
            if (name.endsWith("module-info.class") || name.startsWith("META-INF")) continue;
            link(name.substring(0, name.length() - ".class".length()).replace('/', '.'), loader);
        }
        System.out.println(linked + " linked, " + missing + " miss others, " + refused + " refused");
    }

    private static String firstLines(Throwable error, int most) {
        return Arrays.stream(error.toString().split("\n")).limit(most).collect(Collectors.joining(" | "));
    }

    private static void link(String name, ClassLoader loader) {
        try {
            Class.forName(name, false, loader).getDeclaredMethods();
            linked++;
        } catch (VerifyError | ClassFormatError | IncompatibleClassChangeError error) {
            refused++;
            System.out.println("refused: " + name + ": " + firstLines(error, 12));
        } catch (Throwable error) {
            missing++;
            System.out.println("missing: " + name + ": " + firstLines(error, 1));
        }
    }
}
