package load;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;

/** Another agent that works on every class: those that are loaded it has rewritten, each new one it hands back as a copy. */
public final class Retransformer implements ClassFileTransformer {
    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] file) {
        return file.clone();
    }

    public static void premain(String arguments, Instrumentation tools) throws Exception {
        tools.addTransformer(new Retransformer(), true);
        List<Class<?>> loaded = new ArrayList<>();
        for (Class<?> each : tools.getAllLoadedClasses())
            if (tools.isModifiableClass(each)) loaded.add(each);
        tools.retransformClasses(loaded.toArray(new Class<?>[0]));
        System.out.println("RETRANSFORMED " + loaded.size());
    }
}
