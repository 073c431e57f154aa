import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** COUNT KILOBYTES: buffers outside of the heap, and small objects that own them. */
final class OffHeap {
    static final class Channel {
        final ByteBuffer buffer;

        Channel(int kilobytes) {
            buffer = ByteBuffer.allocateDirect(kilobytes << 10);
        }
    }

    private static final List<Channel> CHANNELS = new ArrayList<>();

    public static void main(String[] words) throws Exception {
        for (int i = 0; i < Integer.parseInt(words[0]); i++) {
            CHANNELS.add(new Channel(Integer.parseInt(words[1])));
        }
        Gap.serve();
    }
}
