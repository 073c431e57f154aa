package load;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.IntConsumer;

/** Classes that come and go: the account load.plugin. */
final class Plugins {
    private static final int THINGS = Truth.row("load.plugin", "-", "load.plugin.Plugin$Thing");

    private static final class Loader extends ClassLoader {
        Loader() {
            super(Plugins.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("load.plugin.")) return super.loadClass(name, resolve);
            Class<?> known = findLoadedClass(name);
            if (known != null) return known;
            byte[] code = code("/" + name.replace('.', '/') + ".class");
            return defineClass(name, code, 0, code.length);
        }

        private static byte[] code(String path) throws ClassNotFoundException {
            try (InputStream in = Plugins.class.getResourceAsStream(path)) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                byte[] part = new byte[4096];
                for (int n; (n = in.read(part)) > 0; ) out.write(part, 0, n);
                return out.toByteArray();
            } catch (IOException error) {
                throw new ClassNotFoundException(path, error);
            }
        }
    }

    private Plugins() {}

    static void run(int loaders, int n) throws ReflectiveOperationException {
        for (int i = 0; i < loaders; i++) {
            Class<?> type = new Loader().loadClass("load.plugin.Plugin", true);
            ((IntConsumer) type.getConstructor().newInstance()).accept(n);
        }
        Truth.add(THINGS, (long) loaders * n, Layout.THING);
    }
}
