import java.io.StringReader;
import java.io.StringWriter;
import javax.xml.transform.Templates;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;
import org.apache.xalan.processor.TransformerFactoryImpl;

/** The kind of DaCapo's xalan: two threads transform XML to HTML many times, with style sheets that are compiled once. */
final class SheetTransformer implements Rounds.Program {
    private static final int ORDERS = 250;
    private static final int CUSTOMERS = 40;
    private static final int TRANSFORMS = 3;  // of a thread in a round

    private static final String SHEET = String.join("\n",
        "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>",
        "<xsl:output method='html' indent='yes'/>",
        "<xsl:key name='by-customer' match='order' use='@customer'/>",
        "<xsl:template match='/orders'><html><head><title>Orders</title></head><body>",
        "  <p class='count'><xsl:value-of select='count(order)'/></p>",
        "  <xsl:for-each select=\"order[generate-id() = generate-id(key('by-customer', @customer)[1])]\">",
        "    <xsl:sort select='@customer' data-type='number'/>",
        "    <h2>Customer <xsl:value-of select='@customer'/></h2><table>",
        "    <xsl:apply-templates select=\"key('by-customer', @customer)\"><xsl:sort select='title'/></xsl:apply-templates></table>",
        "    <p>Total: <xsl:call-template name='total'><xsl:with-param name='items' select=\"key('by-customer', @customer)/item\"/></xsl:call-template></p>",
        "  </xsl:for-each></body></html></xsl:template>",
        "<xsl:template match='order'><tr class='o{position() mod 2}'><td><xsl:value-of select='translate(title, $lower, $upper)'/></td>",
        "  <td><xsl:for-each select='item'><xsl:if test='position() &gt; 1'>, </xsl:if><xsl:value-of select=\"concat(@name, ' × ', @count)\"/>",
        "  </xsl:for-each></td><td><xsl:choose><xsl:when test='count(item) &gt; 3'>many</xsl:when>",
        "  <xsl:when test='sum(item/@cents) &gt; 5000'>dear</xsl:when><xsl:otherwise>",
        "  <xsl:value-of select=\"format-number(sum(item/@cents) div 100, '#,##0.00')\"/></xsl:otherwise></xsl:choose></td>",
        "  <td><xsl:apply-templates select='note'/></td></tr></xsl:template>",
        "<xsl:template match='note'><em><xsl:value-of select='normalize-space(.)'/></em></xsl:template>",
        "<xsl:template match='note[@urgent]'><strong><xsl:value-of select='substring(., 1, 20)'/></strong></xsl:template>",
        "<xsl:template name='total'><xsl:param name='items'/><xsl:param name='so-far' select='0'/><xsl:choose><xsl:when test='$items'>",
        "  <xsl:call-template name='total'><xsl:with-param name='items' select='$items[position() &gt; 1]'/>",
        "  <xsl:with-param name='so-far' select='$so-far + $items[1]/@count * $items[1]/@cents'/></xsl:call-template></xsl:when>",
        "  <xsl:otherwise><xsl:value-of select='$so-far'/></xsl:otherwise></xsl:choose></xsl:template>",
        "<xsl:variable name='lower' select=\"'abcdefghijklmnopqrstuvwxyz'\"/><xsl:variable name='upper' select=\"'ABCDEFGHIJKLMNOPQRSTUVWXYZ'\"/>",
        "</xsl:stylesheet>");

    private final Templates sheet;
    private final String[] inputs = {orders(1), orders(2)};
    private final TwoThreads threads = new TwoThreads();

    private SheetTransformer() throws Exception {
        TransformerFactory factory = new TransformerFactoryImpl();
        sheet = factory.newTemplates(new StreamSource(new StringReader(SHEET)));
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
            Rounds.check(text.contains("<p class=\"count\">" + ORDERS + "</p>") && text.trim().endsWith("</html>"), "no whole page of %d orders", ORDERS);
            digest.add(text);
        }
        return digest.value();
    }

    @Override
    public void end() throws InterruptedException {
        threads.end();
    }
}
