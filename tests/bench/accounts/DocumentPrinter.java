import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.Date;
import java.util.regex.Pattern;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.sax.SAXResult;
import javax.xml.transform.stream.StreamSource;
import org.apache.fop.apps.FOUserAgent;
import org.apache.fop.apps.Fop;
import org.apache.fop.apps.FopFactory;
import org.apache.xmlgraphics.util.MimeConstants;

/** The kind of DaCapo's fop: a document of chapters, tables and lists in XSL-FO becomes a PDF of many pages. */
final class DocumentPrinter implements Rounds.Program {
    private static final int CHAPTERS = 6;
    private static final int PARAGRAPHS = 10;
    private static final int SENTENCES = 6;
    private static final int TABLE_ROWS = 25;
    private static final int LEAST_PAGES = 10;
    private static final Pattern TIME_OF_DAY = Pattern.compile("<xmp:MetadataDate>[^<]*|/ID \\[[^]]*\\]");

    private final FopFactory factory = FopFactory.newInstance(new File(".").toURI());
    private final TransformerFactory transformers = TransformerFactory.newInstance();
    private final Words words = new Words(4_000, 1);
    private final byte[] document = document().getBytes(StandardCharsets.UTF_8);

    public static void main(String[] arguments) throws Exception {
        java.util.logging.Logger.getLogger("org.apache.fop").setLevel(java.util.logging.Level.SEVERE);
        Rounds.run(new DocumentPrinter(), arguments);
    }

    @Override
    public long round() throws Exception {
        ByteArrayOutputStream pdf = new ByteArrayOutputStream();
        FOUserAgent agent = factory.newFOUserAgent();
        agent.setCreationDate(new Date(0));
        Fop fop = factory.newFop(MimeConstants.MIME_PDF, agent, pdf);
        Transformer transformer = transformers.newTransformer();
        transformer.transform(new StreamSource(new ByteArrayInputStream(document)), new SAXResult(fop.getDefaultHandler()));
        int pages = fop.getResults().getPageCount();
        String text = pdf.toString(StandardCharsets.ISO_8859_1);
        Rounds.check(pages >= LEAST_PAGES && text.startsWith("%PDF-") && text.contains("%%EOF"), "no PDF of %d pages", pages);
        return new Digest().add(pages).add(TIME_OF_DAY.matcher(text).replaceAll("")).value();
    }

    // --- the document -------------------------------------------------------------------------------------------------

    private String document() {
        StringBuilder made = new StringBuilder("<?xml version='1.0'?><fo:root xmlns:fo='http://www.w3.org/1999/XSL/Format'><fo:layout-master-set>"
            + "<fo:simple-page-master master-name='page' page-height='297mm' page-width='210mm' margin='20mm'>"
            + "<fo:region-body margin-bottom='15mm'/><fo:region-after extent='10mm'/></fo:simple-page-master></fo:layout-master-set>"
            + "<fo:page-sequence master-reference='page'><fo:static-content flow-name='xsl-region-after'><fo:block text-align='center'>"
            + "<fo:page-number/></fo:block></fo:static-content><fo:flow flow-name='xsl-region-body'>");
        for (int i = 0; i < CHAPTERS; i++) {
            made.append("<fo:block id='chapter").append(i).append("' font-size='20pt' font-weight='bold' space-after='6mm' keep-with-next='always'>")
                .append(words.sentence(4)).append("</fo:block>");
            paragraphs(made, i);
            table(made);
            list(made);
        }
        return made.append("</fo:flow></fo:page-sequence></fo:root>").toString();
    }

    private void paragraphs(StringBuilder made, int chapter) {
        for (int i = 0; i < PARAGRAPHS; i++) {
            made.append("<fo:block text-align='justify' font-family='Times' font-size='11pt' space-after='3mm' hyphenate='false'>");
            for (int s = 0; s < SENTENCES; s++) {
                made.append(words.sentence(6 + words.random().nextInt(12))).append(" <fo:inline font-style='italic'>").append(words.next())
                    .append("</fo:inline> ");
            }
            made.append("see page <fo:page-number-citation ref-id='chapter").append(words.random().nextInt(chapter + 1)).append("'/>.</fo:block>");
        }
    }

    private void table(StringBuilder made) {
        made.append("<fo:table table-layout='fixed' width='100%' border-collapse='collapse'><fo:table-column column-width='40mm'/>"
            + "<fo:table-column column-width='90mm'/><fo:table-column column-width='40mm'/><fo:table-body>");
        for (int i = 0; i < TABLE_ROWS; i++) {
            made.append("<fo:table-row>");
            for (String cell : new String[] {words.next(), words.sentence(5), Integer.toString(words.random().nextInt(1_000_000))}) {
                made.append("<fo:table-cell border='0.5pt solid black' padding='1mm'><fo:block font-size='9pt'>").append(cell)
                    .append("</fo:block></fo:table-cell>");
            }
            made.append("</fo:table-row>");
        }
        made.append("</fo:table-body></fo:table>");
    }

    private void list(StringBuilder made) {
        made.append("<fo:list-block provisional-distance-between-starts='8mm' space-before='4mm' space-after='8mm'>");
        for (int i = 0; i < 10; i++) {
            made.append("<fo:list-item><fo:list-item-label end-indent='label-end()'><fo:block>").append(i)
                .append(".</fo:block></fo:list-item-label><fo:list-item-body start-indent='body-start()'><fo:block>").append(words.sentence(12))
                .append("</fo:block></fo:list-item-body></fo:list-item>");
        }
        made.append("</fo:list-block>");
    }
}
