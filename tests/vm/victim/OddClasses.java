import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.nio.file.Files;

/**
 * Class files out of the ordinary. "run FILE NAME TIMES N": f(N) of the class, so often; "hidden FILE TIMES N": of a class that has no name
 * by which it can be found. Each is answered with "RAN SUM" or with "REFUSED" and the error.
 */
public class OddClasses {
    private static final class Loader extends ClassLoader {
        Class<?> define(String name, byte[] file) {
            return defineClass(name, file, 0, file.length);
        }
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println("READY");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) System.out.println(answer(line.split("\t")));
        System.exit(0);
    }

    private static String answer(String[] words) throws Exception {
        try {
            boolean hidden = words[0].equals("hidden");
            byte[] file = Files.readAllBytes(new File(words[1]).toPath());
            Class<?> odd = hidden ? hide(file) : new Loader().define(words[2], file);
            int first = hidden ? 2 : 3;
            return "RAN " + run(odd, Integer.parseInt(words[first]), Integer.parseInt(words[first + 1]));
        } catch (LinkageError error) {
            return "REFUSED " + error;
        }
    }

    private static long run(Class<?> odd, int times, int n) throws ReflectiveOperationException {
        Method method = odd.getDeclaredMethod("f", int.class);
        long sum = 0;
        for (int i = 0; i < times; i++) sum += (Integer) method.invoke(null, n);
        return sum;
    }

    /** From 15 on a hidden class, before an anonymous one: by reflection, because no JDK has both. */
    private static Class<?> hide(byte[] file) throws ReflectiveOperationException, IOException {
        try {
            Class<?> option = Class.forName("java.lang.invoke.MethodHandles$Lookup$ClassOption");
            Method define = MethodHandles.Lookup.class.getMethod("defineHiddenClass", byte[].class, boolean.class, Array.newInstance(option, 0).getClass());
            return ((MethodHandles.Lookup) define.invoke(MethodHandles.lookup(), file, true, Array.newInstance(option, 0))).lookupClass();
        } catch (ClassNotFoundException old) {
            Class<?> type = Class.forName("sun.misc.Unsafe");
            java.lang.reflect.Field instance = type.getDeclaredField("theUnsafe");
            instance.setAccessible(true);
            Method define = type.getMethod("defineAnonymousClass", Class.class, byte[].class, Object[].class);
            return (Class<?>) define.invoke(instance.get(null), OddClasses.class, file, null);
        }
    }
}
