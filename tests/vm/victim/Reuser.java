import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;

/**
 * Defines and drops many classes, so that a concurrent collection unloads them, their objects stay as dead ones, and new classes of other layouts take
 * the place of the old ones in metaspace. One word a line: "old", "drop", "new", "check". Java 8.
 */
public class Reuser {
    static final int LOADERS = Integer.getInteger("loaders", 300);
    static final int OBJECTS = 200;  // of each class
    static final List<Object> OLD = new ArrayList<>();
    static final List<Object> NEW = new ArrayList<>();

    public static class OldSmall {
        public Object held = new int[3];
    }

    public static class OldWide extends OldSmall {
        public long a = 1, b = 2, c = 3;
        public Object first = this, second = new long[2], third;
    }

    public static class NewWide {
        public Object a = this, b = new byte[5], c, d = b, e = "text", f = this;
        public int number = 7;
    }

    public static class NewSmall {
        public int only = 1;
    }

    public static class NewLeaf extends NewWide {
        public double before;
        public Object last = new Object[] {a, e};
    }

    /** Defines the named classes anew, each time it is made. */
    static final class Definer extends ClassLoader {
        final List<Class<?>> made = new ArrayList<>();

        Definer(String... names) throws IOException {
            super(Reuser.class.getClassLoader());
            for (String name : names) {
                byte[] code = code(name);
                made.add(defineClass("Reuser$" + name, code, 0, code.length));
            }
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            for (Class<?> one : made)
                if (one.getName().equals(name)) return one;
            return super.loadClass(name, resolve);
        }

        static byte[] code(String name) throws IOException {
            try (InputStream in = Reuser.class.getResourceAsStream("Reuser$" + name + ".class")) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                for (int c; (c = in.read()) >= 0; ) out.write(c);
                return out.toByteArray();
            }
        }
    }

    static void define(List<Object> keep, String... names) throws Exception {
        for (int i = 0; i < LOADERS; i++) {
            List<Object> objects = new ArrayList<>();
            for (Class<?> made : new Definer(names).made)
                for (int k = 0; k < OBJECTS; k++) objects.add(made.getConstructor().newInstance());
            keep.add(objects);
        }
    }

    /** Three in four go, so that every region keeps something alive and is not emptied as a whole. */
    static void drop() throws Exception {
        for (int i = 0; i < OLD.size(); i++)
            if (i % 4 != 0) OLD.set(i, null);
        System.gc();
        Thread.sleep(500);
        System.gc();
        Thread.sleep(500);
    }

    static boolean sound(List<Object> all) throws Exception {
        for (Object objects : all)
            if (objects != null)
                for (Object one : (List<?>) objects)
                    if (one.getClass().getName().equals("Reuser$NewWide") && one.getClass().getField("f").get(one) != one) return false;
        return true;
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println("READY");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) {
            if (line.equals("old")) define(OLD, "OldSmall", "OldWide");
            if (line.equals("drop")) drop();
            if (line.equals("new")) define(NEW, "NewWide", "NewSmall", "NewLeaf");
            System.out.println(line.equals("check") ? "SOUND " + (sound(OLD) && sound(NEW)) : "DONE " + line);
        }
    }
}
