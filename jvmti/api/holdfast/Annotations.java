package holdfast;

import java.nio.charset.StandardCharsets;

/**
 * Whose work the calling thread does: a user, an application, a request, a session. Reports tell allocations apart by it
 * (accounts-by=user+request) or are about some of it alone (sample-only=user:alice).
 *
 * <pre>
 * try (Annotations.Scope scope = Annotations.user("alice").request("/cart")) {
 *   handle();
 * }
 * </pre>
 *
 * A scope holds for the thread that opened it, a virtual one too, until it is closed; then what was said before holds again. Texts are cut to 100
 * bytes. Where no agent is loaded nothing happens; one that is attached later hears what is said from then on, ten seconds later at the latest.
 */
public final class Annotations {
    private static final int KINDS = 4;
    private static final int MOST_CHARACTERS = 200;
    private static final long RETRY_NS = 10_000_000_000L;
    private static final String[] NOTHING = {"", "", "", ""};
    private static final ThreadLocal<String[]> SAID = new ThreadLocal<>();
    private static volatile boolean absent;
    private static volatile long absentUntil;

    private Annotations() {}

    /** Closed by the thread that opened it, the last one opened first. */
    public static final class Scope implements AutoCloseable {
        private final String[] before;

        private Scope(String[] before) {
            this.before = before;
        }

        public Scope user(String text) {
            return with(0, text);
        }

        public Scope application(String text) {
            return with(1, text);
        }

        public Scope request(String text) {
            return with(2, text);
        }

        public Scope session(String text) {
            return with(3, text);
        }

        private Scope with(int kind, String text) {
            change(kind, text);
            return this;
        }

        @Override
        public void close() {
            tell(before);
        }
    }

    public static Scope user(String text) {
        return open(0, text);
    }

    public static Scope application(String text) {
        return open(1, text);
    }

    public static Scope request(String text) {
        return open(2, text);
    }

    public static Scope session(String text) {
        return open(3, text);
    }

    /** The calling thread says nothing any more. */
    public static void clear() {
        tell(NOTHING);
    }

    private static String[] said() {
        String[] texts = SAID.get();
        return texts == null ? NOTHING : texts;
    }

    private static Scope open(int kind, String text) {
        Scope scope = new Scope(said());
        change(kind, text);
        return scope;
    }

    private static void change(int kind, String text) {
        String[] texts = said().clone();
        String plain = text == null ? "" : text.replace('\0', '?');
        texts[kind] = plain.length() > MOST_CHARACTERS ? plain.substring(0, MOST_CHARACTERS) : plain;
        tell(texts);
    }

    private static void tell(String[] texts) {
        if (texts == NOTHING)
            SAID.remove();
        else
            SAID.set(texts);
        if (absent && System.nanoTime() - absentUntil < 0)
            return;
        try {
            say(block(texts));
            absent = false;
        } catch (UnsatisfiedLinkError noAgent) {
            absentUntil = System.nanoTime() + RETRY_NS;
            absent = true;
        }
    }

    private static byte[] block(String[] texts) {
        StringBuilder all = new StringBuilder();
        for (int kind = 0; kind < KINDS; kind++)
            all.append(texts[kind]).append('\0');
        return all.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static native void say(byte[] block);
}
