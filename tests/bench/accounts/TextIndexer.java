import java.io.IOException;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.Term;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;

/** The kind of DaCapo's luindex: Lucene makes an index of texts in memory. It merges in the same thread, so all rounds do the same. */
final class TextIndexer implements Rounds.Program {
    private static final int DOCUMENTS = 1_000;
    private static final int BUFFERED = 100;  // documents of a segment, so that there is something to merge

    private final TextLibrary library = new TextLibrary(DOCUMENTS, 1);
    private final String word = library.words().any();
    private final int documentsWithWord = library.documentsWith(word);

    public static void main(String[] arguments) throws Exception {
        Rounds.run(new TextIndexer(), arguments);
    }

    static void index(TextLibrary library, Directory directory) throws IOException {
        IndexWriterConfig how = new IndexWriterConfig(new StandardAnalyzer());
        how.setMaxBufferedDocs(BUFFERED);
        how.setRAMBufferSizeMB(IndexWriterConfig.DISABLE_AUTO_FLUSH);
        how.setMergeScheduler(new SerialMergeScheduler());
        try (IndexWriter writer = new IndexWriter(directory, how)) {
            for (int i = 0; i < library.size(); i++) {
                writer.addDocument(library.document(i));
            }
            writer.forceMerge(2);
        }
    }

    @Override
    public long round() throws IOException {
        try (Directory directory = new ByteBuffersDirectory()) {
            index(library, directory);
            try (DirectoryReader reader = DirectoryReader.open(directory)) {
                int found = reader.docFreq(new Term("body", word));
                Rounds.check(reader.numDocs() == DOCUMENTS && found == documentsWithWord, "%d documents, %d of them with %s instead of %d",
                    reader.numDocs(), found, word, documentsWithWord);
                return new Digest().add(reader.getSumTotalTermFreq("body")).add(reader.getSumDocFreq("title")).add(found).value();
            }
        }
    }
}
