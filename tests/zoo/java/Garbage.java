import java.util.ArrayList;
import java.util.List;

/** LIVE DEAD: so many live objects of 1 KB, and so many that nothing holds any more and no collection took. */
final class Garbage {
    static final class Request {
        final byte[] body = new byte[1_000];
    }

    private static final List<Request> OPEN = new ArrayList<>();

    private static void make(int live, int dead) {
        List<Request> done = new ArrayList<>(dead);
        for (int i = 0; i < dead; i++) {
            done.add(new Request());
        }
        for (int i = 0; i < live; i++) {
            OPEN.add(done.get(i * (dead / live)));
        }
    }

    public static void main(String[] words) throws Exception {
        make(Integer.parseInt(words[0]), Integer.parseInt(words[1]));
        Gap.serve();
    }
}
