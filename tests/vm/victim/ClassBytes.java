import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Paths;

/** ClassBytes NAME FILE: writes the bytes of one of the JDK's classes to a file. */
public class ClassBytes {
    public static void main(String[] arguments) throws IOException {
        try (InputStream bytes = ClassLoader.getSystemResourceAsStream(arguments[0].replace('.', '/') + ".class")) {
            Files.copy(bytes, Paths.get(arguments[1]));
        }
    }
}
