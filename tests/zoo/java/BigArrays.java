import java.util.ArrayList;
import java.util.List;

/** COUNT MEGABYTES: a few very large arrays. */
final class BigArrays {
    private static final List<byte[]> FRAMES = new ArrayList<>();

    public static void main(String[] words) throws Exception {
        for (int i = 0; i < Integer.parseInt(words[0]); i++) {
            FRAMES.add(new byte[Integer.parseInt(words[1]) << 20]);
        }
        Gap.serve();
    }
}
