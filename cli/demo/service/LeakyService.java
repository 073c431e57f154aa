import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import shop.ArticleCache;
import shop.Catalogue;
import shop.ImageCache;
import shop.PriceListeners;
import shop.SalesReport;
import shop.Session;
import shop.SessionRegistry;

/**
 * A small web shop with an ordinary mistake: logging in makes a session, and nothing ever ends one.
 * Around it stands what a service has besides its leak: a catalogue, a cache with two indexes, soft and weak references,
 * and a thread that works on something big. Listens on a free port of the loopback address and prints it, with its process number.
 * With --watch it ends when its standard input does, and so with the process at the other end of that pipe.
 */
public final class LeakyService {
    private final Catalogue catalogue = new Catalogue(5_000);
    private final ArticleCache articles = new ArticleCache();
    private final ImageCache images = new ImageCache();
    private final PriceListeners listeners = new PriceListeners();

    public static void main(String[] args) throws IOException {
        System.setProperty("sun.net.httpserver.nodelay", "true");  // or each answer waits 40 ms for an acknowledgement
        if (args.length > 0 && args[0].equals("--watch")) watchInput();
        new LeakyService().start();
    }

    private static void watchInput() {
        Thread watcher = new Thread(() -> {
            try {
                while (System.in.read() >= 0) {}
            } catch (IOException damaged) {
                // is at its end as well
            }
            System.err.println("its standard input has ended");
            System.exit(0);
        }, "input");
        watcher.setDaemon(true);
        watcher.start();
    }

    /** Java 8 has no ProcessHandle. */
    private static String processNumber() throws IOException {
        return new File("/proc/self").getCanonicalFile().getName();
    }

    private void start() throws IOException {
        SalesReport report = new SalesReport(catalogue);
        Thread worker = new Thread(report, "sales-report");
        worker.setDaemon(true);
        worker.start();
        report.awaitFilled();

        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        ExecutorService pool = Executors.newFixedThreadPool(4, task -> {
            Thread thread = new Thread(task, "http");
            thread.setDaemon(true);
            return thread;
        });
        server.setExecutor(pool);
        server.createContext("/login", this::login);
        server.createContext("/article", this::article);
        server.start();
        System.out.println("READY port=" + server.getAddress().getPort() + " pid=" + processNumber());
    }

    /** /login/NAME */
    private void login(HttpExchange exchange) throws IOException {
        Session session = SessionRegistry.login(lastSegment(exchange));
        session.put("locale", "en");
        session.put("lastArticle", catalogue.product(session.number() % catalogue.size()));
        listeners.watch(session);
        answer(exchange, "session " + session.number());
    }

    /** /article/NUMBER */
    private void article(HttpExchange exchange) throws IOException {
        int id = Integer.parseInt(lastSegment(exchange)) % catalogue.size();
        ArticleCache.Article article = articles.byId(id, catalogue);
        answer(exchange, article.name() + " " + images.thumbnail(id % 200).length);
    }

    private static String lastSegment(HttpExchange exchange) {
        String path = exchange.getRequestURI().getPath();
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private static void answer(HttpExchange exchange, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        while (exchange.getRequestBody().read() >= 0) {}  // or the connection cannot be kept alive
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }
}
