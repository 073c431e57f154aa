import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;

/** hidden|loaders COUNT: hidden classes of one source, or class loaders with one class each. */
final class ManyClasses {
    public static final class Plugin {
        public static final byte[] SETTINGS = new byte[100];
        public long first;
        public long second;
    }

    static final class PluginLoader extends ClassLoader {
        PluginLoader() {
            super(ManyClasses.class.getClassLoader());
        }

        Class<?> define(byte[] code) {
            return defineClass("ManyClasses$Plugin", code, 0, code.length);
        }
    }

    private static final List<Object> PLUGINS = new ArrayList<>();

    public static void main(String[] words) throws Exception {
        byte[] code;
        try (InputStream file = ManyClasses.class.getResourceAsStream("ManyClasses$Plugin.class")) {
            code = file.readAllBytes();
        }
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        boolean hidden = words[0].equals("hidden");
        for (int i = 0; i < Integer.parseInt(words[1]); i++) {
            Class<?> made = hidden ? lookup.defineHiddenClass(code, true).lookupClass() : new PluginLoader().define(code);
            PLUGINS.add(made.getDeclaredConstructor().newInstance());
        }
        Gap.serve();
    }
}
