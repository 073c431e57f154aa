/** A checksum of what a program puts out: FNV-1a over bytes, characters or numbers. */
final class Digest {
    private static final long START = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    private long state = START;

    Digest add(long number) {
        state = (state ^ number) * PRIME;
        state ^= state >>> 32;
        return this;
    }

    Digest add(byte[] bytes, int length) {
        long found = state;
        for (int i = 0; i < length; i++) {
            found = (found ^ (bytes[i] & 0xff)) * PRIME;
        }
        state = found;
        return add(length);
    }

    Digest add(byte[] bytes) {
        return add(bytes, bytes.length);
    }

    Digest add(CharSequence text) {
        long found = state;
        for (int i = 0; i < text.length(); i++) {
            found = (found ^ text.charAt(i)) * PRIME;
        }
        state = found;
        return add(text.length());
    }

    Digest addWithoutDigits(CharSequence text) {
        long found = state;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            found = c >= '0' && c <= '9' ? found : (found ^ c) * PRIME;
        }
        state = found;
        return add(0);
    }

    long value() {
        return state;
    }
}
