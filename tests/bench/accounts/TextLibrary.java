import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.IntPoint;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;

/** Made-up texts for TextIndexer and TextSearcher, and how often a word is in them, counted without an index. */
final class TextLibrary {
    private static final int VOCABULARY = 8_000;
    private static final int SHORTEST = 20;
    private static final int LONGEST = 140;

    private final List<String> titles = new ArrayList<>();
    private final List<String> bodies = new ArrayList<>();
    private final Words words;

    TextLibrary(int documents, long seed) {
        words = new Words(VOCABULARY, seed);
        for (int i = 0; i < documents; i++) {
            titles.add(words.sentence(5));
            StringBuilder body = new StringBuilder();
            for (int left = SHORTEST + words.random().nextInt(LONGEST - SHORTEST); left > 0; left -= 10) {
                body.append(words.sentence(10)).append(' ');
            }
            bodies.add(body.toString());
        }
    }

    int size() {
        return bodies.size();
    }

    Words words() {
        return words;
    }

    Document document(int number) {
        Document made = new Document();
        made.add(new StringField("id", Integer.toString(number), Field.Store.YES));
        made.add(new TextField("title", titles.get(number), Field.Store.YES));
        made.add(new TextField("body", bodies.get(number), Field.Store.NO));
        made.add(new IntPoint("length", bodies.get(number).length()));
        made.add(new StoredField("length", bodies.get(number).length()));
        return made;
    }

    /** Documents whose body has the word. */
    int documentsWith(String word) {
        int count = 0;
        for (String body : bodies) {
            Set<String> found = new HashSet<>(List.of(body.replace(".", "").split(" ")));
            count += found.contains(word) ? 1 : 0;
        }
        return count;
    }
}
