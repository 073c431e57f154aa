import java.io.File;
import java.io.StringReader;
import java.io.StringWriter;
import javax.xml.transform.Templates;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;
import org.apache.xalan.processor.TransformerFactoryImpl;

/** The kind of DaCapo's xalan: two threads transform XML to HTML many times. The style sheet's path is in the property `sheet`. */
final class SheetTransformer implements Rounds.Program {
    private static final int ORDERS = 250;
    private static final int CUSTOMERS = 40;
    private static final int TRANSFORMS = 3;  // of a thread in a round

    private final Templates sheet;
    private final String[] inputs = {orders(1), orders(2)};
    private final TwoThreads threads = new TwoThreads();

    private SheetTransformer() throws Exception {
        TransformerFactory factory = new TransformerFactoryImpl();
        sheet = factory.newTemplates(new StreamSource(new File(System.getProperty("sheet"))));
    }

    public static void main(String[] arguments) throws Exception {
        Rounds.run(new SheetTransformer(), arguments);
    }

    private static String orders(long seed) {
        Words words = new Words(2_000, seed);
        StringBuilder made = new StringBuilder("<?xml version='1.0'?><orders>");
        for (int i = 0; i < ORDERS; i++) {
            made.append("<order id='").append(i).append("' customer='").append(words.random().nextInt(CUSTOMERS)).append("'><title>")
                .append(words.sentence(4)).append("</title>");
            for (int item = 1 + words.random().nextInt(5); item > 0; item--) {
                made.append("<item name='").append(words.any()).append("' count='").append(1 + words.random().nextInt(9)).append("' cents='")
                    .append(words.random().nextInt(5_000)).append("'/>");
            }
            made.append("<note").append(i % 7 == 0 ? " urgent='yes'>  " : ">  ").append(words.sentence(15)).append("\n</note></order>");
        }
        return made.append("</orders>").toString();
    }

    @Override
    public long round() throws Exception {
        return threads.run(this::transform);
    }

    private long transform(int half) throws Exception {
        Digest digest = new Digest();
        for (int i = 0; i < TRANSFORMS; i++) {
            StringWriter html = new StringWriter();
            sheet.newTransformer().transform(new StreamSource(new StringReader(inputs[half])), new StreamResult(html));
            String text = html.toString();
            boolean whole = text.contains("<p class=\"count\">" + ORDERS + "</p>") && text.trim().endsWith("</html>");
            Rounds.check(whole, "no whole page of %d orders", ORDERS);
            digest.add(text);
        }
        return digest.value();
    }

    @Override
    public void end() throws InterruptedException {
        threads.end();
    }
}
