import java.awt.Graphics2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jfree.chart.ChartFactory;
import org.jfree.chart.ChartUtilities;
import org.jfree.chart.JFreeChart;
import org.jfree.data.category.DefaultCategoryDataset;
import org.jfree.data.general.DefaultPieDataset;
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;

/** The kind of DaCapo's chart: JFreeChart draws charts of many kinds to images without a screen; one of them becomes a PNG. */
final class ChartPainter implements Rounds.Program {
    private static final int WIDTH = 800;
    private static final int HEIGHT = 500;
    private static final int POINTS = 400;
    private static final int SERIES = 3;
    private static final int LEAST_COLOURS = 4;

    private static final byte[] PNG = {(byte) 0x89, 'P', 'N', 'G'};

    public static void main(String[] arguments) throws Exception {
        System.setProperty("java.awt.headless", "true");
        Rounds.run(new ChartPainter(), arguments);
    }

    @Override
    public long round() throws IOException {
        Digest digest = new Digest();
        List<JFreeChart> charts = charts(new Random(7));
        for (JFreeChart chart : charts) {
            BufferedImage image = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
            Graphics2D graphics = image.createGraphics();
            chart.draw(graphics, new Rectangle2D.Double(0, 0, WIDTH, HEIGHT));
            graphics.dispose();
            pixels(digest, image);
        }
        ByteArrayOutputStream png = new ByteArrayOutputStream();
        ChartUtilities.writeChartAsPNG(png, charts.get(0), WIDTH, HEIGHT);
        byte[] bytes = png.toByteArray();
        for (int i = 0; i < PNG.length; i++) {
            Rounds.check(bytes[i] == PNG[i], "no PNG");
        }
        return digest.add(bytes).value();
    }

    private static void pixels(Digest digest, BufferedImage image) {
        int[] row = new int[WIDTH];
        List<Integer> colours = new ArrayList<>();
        for (int y = 0; y < HEIGHT; y++) {
            image.getRGB(0, y, WIDTH, 1, row, 0, WIDTH);
            for (int x = 0; x < WIDTH; x += 4) {
                digest.add(row[x]);
                if (colours.size() < LEAST_COLOURS && !colours.contains(row[x])) {
                    colours.add(row[x]);
                }
            }
        }
        Rounds.check(colours.size() >= LEAST_COLOURS, "an image of %d colours", colours.size());
    }

    // --- the charts ---------------------------------------------------------------------------------------------------

    private static List<JFreeChart> charts(Random random) {
        List<JFreeChart> made = new ArrayList<>();
        XYSeriesCollection lines = lines(random);
        made.add(ChartFactory.createXYLineChart("Lines", "time", "value", lines));
        made.add(ChartFactory.createScatterPlot("Points", "time", "value", lines));
        made.add(ChartFactory.createXYStepChart("Steps", "time", "value", lines));
        DefaultCategoryDataset categories = categories(random);
        made.add(ChartFactory.createBarChart("Bars", "month", "sales", categories));
        made.add(ChartFactory.createStackedBarChart3D("Stacked bars", "month", "sales", categories));
        made.add(ChartFactory.createAreaChart("Areas", "month", "sales", categories));
        made.add(ChartFactory.createPieChart3D("Shares", shares(random), true, false, false));
        return made;
    }

    private static XYSeriesCollection lines(Random random) {
        XYSeriesCollection made = new XYSeriesCollection();
        for (int s = 0; s < SERIES; s++) {
            XYSeries series = new XYSeries("series " + s);
            double value = 100;
            for (int i = 0; i < POINTS; i++) {
                value += random.nextGaussian();
                series.add(i, value);
            }
            made.addSeries(series);
        }
        return made;
    }

    private static DefaultCategoryDataset categories(Random random) {
        DefaultCategoryDataset made = new DefaultCategoryDataset();
        for (int region = 0; region < SERIES; region++) {
            for (int month = 0; month < 24; month++) {
                made.addValue(random.nextInt(1_000), "region " + region, "month " + month);
            }
        }
        return made;
    }

    private static DefaultPieDataset shares(Random random) {
        DefaultPieDataset made = new DefaultPieDataset();
        for (int i = 0; i < 12; i++) {
            made.setValue("part " + i, 1 + random.nextInt(100));
        }
        return made;
    }
}
