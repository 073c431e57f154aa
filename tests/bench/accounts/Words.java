import java.util.Random;

/** Text as people write it, from a seed: words of a vocabulary, few of them often and most of them seldom. */
final class Words {
    private static final String[] SYLLABLES = {
        "ka", "ren", "to", "mi", "sal", "or", "ven", "du", "li", "pas", "e", "nor", "ta", "gi", "bo", "stu", "ne", "ra"};

    private final String[] vocabulary;
    private final Random random;

    Words(int size, long seed) {
        random = new Random(seed);
        vocabulary = new String[size];
        for (int i = 0; i < size; i++) {
            vocabulary[i] = word(i);
        }
    }

    /** The number in syllables, so that no two words are the same. */
    private static String word(int number) {
        StringBuilder made = new StringBuilder(SYLLABLES[number % SYLLABLES.length]);
        for (int rest = number / SYLLABLES.length + 1; rest > 0; rest /= SYLLABLES.length) {
            made.append(SYLLABLES[rest % SYLLABLES.length]);
        }
        return made.append(number % 10 == 0 ? "s" : "").toString();
    }

    Random random() {
        return random;
    }

    String any() {
        return vocabulary[random.nextInt(vocabulary.length)];
    }

    /** Frequencies fall as 1/rank, about. */
    String next() {
        return vocabulary[(int) Math.pow(vocabulary.length, random.nextDouble()) - 1];
    }

    String sentence(int words) {
        StringBuilder made = new StringBuilder();
        for (int i = 0; i < words; i++) {
            made.append(i == 0 ? "" : " ").append(next());
        }
        return made.append('.').toString();
    }
}
