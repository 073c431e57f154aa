import java.util.ArrayList;
import java.util.List;

/** COUNT: a buffer and a list of results below one server hold the same messages, so neither retains them alone. */
final class Shared {
    static final class Message {
        final byte[] text = new byte[1_000];
    }

    static final class Buffer {
        final List<Message> messages = new ArrayList<>();
    }

    static final class Analysis {
        final List<Message> results = new ArrayList<>();
    }

    static final class Server {
        final Buffer buffer = new Buffer();
        final Analysis analysis = new Analysis();
    }

    private static final Server SERVER = new Server();

    public static void main(String[] words) throws Exception {
        for (int i = 0; i < Integer.parseInt(words[0]); i++) {
            Message message = new Message();
            SERVER.buffer.messages.add(message);
            SERVER.analysis.results.add(message);
        }
        Gap.serve();
    }
}
