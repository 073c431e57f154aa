/** LIBRARY KIND COUNT: messages that native code holds by handles of one kind: global, weak, or local (in a frame that never returns). */
final class Handles {
    static final class Message {
        final byte[] body = new byte[48];
    }

    private static native void keepGlobal(Object object);

    private static native void keepWeak(Object object);

    /** Calls serve() while it holds COUNT local handles. */
    private static native void keepLocals(int count) throws Exception;

    /** Called from native code. */
    static Object make() {
        return new Message();
    }

    static void serve() throws Exception {
        Gap.serve();
    }

    public static void main(String[] words) throws Exception {
        System.load(words[0]);
        int count = Integer.parseInt(words[2]);
        if (words[1].equals("local")) {
            keepLocals(count);
            return;
        }
        for (int i = 0; i < count; i++) {
            if (words[1].equals("weak")) {
                keepWeak(new Message());
            } else {
                keepGlobal(new Message());
            }
        }
        Gap.serve();
    }
}
