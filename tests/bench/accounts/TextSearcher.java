import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;

/** The kind of DaCapo's lusearch: two threads parse queries of all kinds and search an index with them, without a cache of results. */
final class TextSearcher implements Rounds.Program {
    private static final int DOCUMENTS = 3_000;
    private static final int QUERIES = 160;  // of a thread in a round
    private static final int BEST = 20;

    private final Directory directory = new ByteBuffersDirectory();
    private final DirectoryReader reader;
    private final IndexSearcher searcher;
    private final List<String> queries = new ArrayList<>();
    private final TwoThreads threads = new TwoThreads();
    private final String word;
    private final int documentsWithWord;

    private TextSearcher() throws Exception {
        TextLibrary library = new TextLibrary(DOCUMENTS, 2);
        TextIndexer.index(library, directory);
        reader = DirectoryReader.open(directory);
        searcher = new IndexSearcher(reader);
        searcher.setQueryCache(null);
        for (int i = 0; i < 2 * QUERIES; i++) {
            queries.add(query(library.words(), i));
        }
        word = library.words().next();
        documentsWithWord = library.documentsWith(word);
    }

    public static void main(String[] arguments) throws Exception {
        Rounds.run(new TextSearcher(), arguments);
    }

    private static String query(Words words, int number) {
        String first = words.next();
        switch (number % 8) {
            case 0: return first;
            case 1: return first + " AND " + words.next();
            case 2: return first + " OR " + words.next() + " OR title:" + words.next();
            case 3: return "\"" + first + " " + words.next() + "\"~3";
            case 4: return first.substring(0, Math.min(first.length(), 3)) + "*";
            case 5: return words.any() + "~1";
            case 6: return "+" + first + " -" + words.any() + " title:" + words.next() + "^2";
            default: return "\"" + first + " " + words.next() + "\"";
        }
    }

    @Override
    public long round() throws Exception {
        long checksum = threads.run(this::search);
        int found = searcher.count(new QueryParser("body", new StandardAnalyzer()).parse(word));
        Rounds.check(found == documentsWithWord, "%d documents with %s instead of %d", found, word, documentsWithWord);
        return new Digest().add(checksum).add(found).value();
    }

    private long search(int half) throws Exception {
        QueryParser parser = new QueryParser("body", new StandardAnalyzer());
        Digest digest = new Digest();
        for (String query : queries.subList(half * QUERIES, (half + 1) * QUERIES)) {
            TopDocs found = searcher.search(parser.parse(query), BEST);
            digest.add(found.totalHits.value);
            for (ScoreDoc hit : found.scoreDocs) {
                digest.add(searcher.doc(hit.doc).get("id")).add(Float.floatToIntBits(hit.score));
            }
        }
        return digest.value();
    }

    @Override
    public void end() throws Exception {
        threads.end();
        reader.close();
        directory.close();
    }
}
