import java.io.File;
import java.io.PrintStream;
import java.util.Iterator;
import java.util.List;
import org.graalvm.visualvm.lib.jfluid.heap.FieldValue;
import org.graalvm.visualvm.lib.jfluid.heap.Heap;
import org.graalvm.visualvm.lib.jfluid.heap.HeapFactory;
import org.graalvm.visualvm.lib.jfluid.heap.Instance;
import org.graalvm.visualvm.lib.jfluid.heap.JavaClass;
import org.graalvm.visualvm.lib.jfluid.heap.ObjectArrayInstance;
import org.graalvm.visualvm.lib.jfluid.heap.ObjectFieldValue;
import org.graalvm.visualvm.lib.jfluid.heap.PrimitiveArrayInstance;

/** What VisualVM's library reads of a heap dump, words between tabs: classes, references, values that are not zero, roots, the largest objects. */
public final class ReadHprof {
    private static final int LARGEST = 5;

    private long references;
    private long contents;

    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        new ReadHprof().read(HeapFactory.createHeap(new File(arguments[0])), out);
        out.flush();
    }

    private void read(Heap heap, PrintStream out) {
        for (JavaClass one : heap.getAllClasses()) {
            out.println("class\t" + one.getName() + "\t" + one.getInstancesCount());
            List<FieldValue> fields = one.getStaticFieldValues();
            fields.forEach(this::countField);
        }
        for (Iterator<Instance> all = heap.getAllInstancesIterator(); all.hasNext();) {
            count(all.next());
        }
        out.println("references\t" + references);
        out.println("contents\t" + contents);
        out.println("roots\t" + heap.getGCRoots().size());
        for (Instance one : heap.getBiggestObjectsByRetainedSize(LARGEST)) {
            out.println("largest\t" + one.getJavaClass().getName());
        }
    }

    private void count(Instance one) {
        if (one instanceof ObjectArrayInstance) {
            for (Instance element : ((ObjectArrayInstance) one).getValues()) {
                references += element == null ? 0 : 1;
            }
        } else if (one instanceof PrimitiveArrayInstance) {
            for (Object value : ((PrimitiveArrayInstance) one).getValues()) {
                contents += isZero(value) ? 0 : 1;
            }
        } else {
            one.getFieldValues().forEach(this::countField);
        }
    }

    private void countField(FieldValue field) {
        if (field instanceof ObjectFieldValue) {
            references += ((ObjectFieldValue) field).getInstance() == null ? 0 : 1;
        } else {
            contents += isZero(field.getValue()) ? 0 : 1;
        }
    }

    private static boolean isZero(Object value) {
        return List.of("0", "0.0", "false", "\0").contains(value.toString());
    }
}
