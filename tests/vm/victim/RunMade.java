import java.lang.reflect.Method;

/** RunMade CLASS N...: prints f(N) of the class for each N. */
public class RunMade {
    public static void main(String[] arguments) throws ReflectiveOperationException {
        Method method = Class.forName(arguments[0]).getMethod("f", int.class);
        for (int i = 1; i < arguments.length; i++) System.out.println(method.invoke(null, Integer.parseInt(arguments[i])));
    }
}
