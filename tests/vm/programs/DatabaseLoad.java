import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.h2.tools.Server;

/**
 * A database server and its clients in one JVM: customers and orders with indexes, mixed reads and writes over several connections,
 * one big table in memory. At the end connections and statements stay open, and it prints READY and keeps still.
 */
public final class DatabaseLoad {
    private static final int CUSTOMERS = 5_000;
    private static final int ORDERS = 60_000;
    private static final int CLIENTS = 4;
    private static final int OPERATIONS = 3_000;
    private static final int BATCH = 1_000;

    private final String url;
    private final List<AutoCloseable> open = new ArrayList<>();  // as an application server's pool keeps them

    private DatabaseLoad(String url) {
        this.url = url;
    }

    public static void main(String[] args) throws Exception {
        Server server = Server.createTcpServer("-tcpPort", "0", "-tcpDaemon", "-ifNotExists", "-baseDir", args[0]);
        server.start();
        DatabaseLoad onDisk = new DatabaseLoad("jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/./shop;DB_CLOSE_DELAY=-1");
        onDisk.fill(ORDERS / 4);
        onDisk.serveAll();
        DatabaseLoad inMemory = new DatabaseLoad("jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1");
        inMemory.fill(ORDERS);
        inMemory.serveAll();
        System.out.println("READY " + (onDisk.open.size() + inMemory.open.size()) + " connections and statements");
        Thread.sleep(Long.MAX_VALUE);
    }

    private void fill(int orders) throws SQLException {
        Connection connection = connect();
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE customer(id INT PRIMARY KEY, name VARCHAR(80), note CLOB)");
            statement.execute("CREATE TABLE orders(id INT PRIMARY KEY, customer INT REFERENCES customer(id), item VARCHAR(40), cents BIGINT)");
            statement.execute("CREATE INDEX orders_by_item ON orders(item, cents)");
        }
        insert(connection, "INSERT INTO customer VALUES(?, ?, ?)", CUSTOMERS, (row, i) -> {
            row.setString(2, "customer " + i);
            row.setString(3, "a note about customer " + i);
        });
        insert(connection, "INSERT INTO orders VALUES(?, ?, ?, ?)", orders, (row, i) -> {
            row.setInt(2, i % CUSTOMERS);
            row.setString(3, "item " + i % 997);
            row.setLong(4, i * 31L % 10_000);
        });
    }

    private interface Row {
        void set(PreparedStatement statement, int i) throws SQLException;
    }

    private static void insert(Connection connection, String sql, int count, Row row) throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < count; i++) {
                statement.setInt(1, i);
                row.set(statement, i);
                statement.addBatch();
                if (i % BATCH == BATCH - 1) {
                    statement.executeBatch();
                    connection.commit();
                }
            }
            statement.executeBatch();
        }
        connection.commit();
        connection.setAutoCommit(true);
    }

    private void serveAll() throws Exception {
        List<Thread> clients = new ArrayList<>();
        List<Exception> failures = new ArrayList<>();
        for (int c = 0; c < CLIENTS; c++) {
            int seed = c;
            Thread client = new Thread(() -> {
                try {
                    serve(new Random(seed));
                } catch (SQLException e) {
                    synchronized (failures) {
                        failures.add(e);
                    }
                }
            });
            client.start();
            clients.add(client);
        }
        for (Thread client : clients) {
            client.join();
        }
        if (!failures.isEmpty()) {
            throw failures.get(0);
        }
    }

    /** Each client has its share of the customers, so two never wait for one row. */
    private void serve(Random random) throws SQLException {
        Connection connection = connect();
        PreparedStatement read = keep(connection.prepareStatement("SELECT sum(cents) FROM orders WHERE item = ?"));
        PreparedStatement join = keep(connection.prepareStatement(
            "SELECT c.name, count(*) FROM customer c JOIN orders o ON o.customer = c.id WHERE c.id = ? GROUP BY c.name"));
        PreparedStatement write = keep(connection.prepareStatement("UPDATE orders SET cents = cents + 1 WHERE id = ?"));
        for (int i = 0; i < OPERATIONS; i++) {
            if (i % 10 == 0) {
                write.setInt(1, random.nextInt(ORDERS / 4));
                write.executeUpdate();
            } else {
                query(i % 2 == 0 ? read : join, i % 2 == 0 ? "item " + random.nextInt(997) : random.nextInt(CUSTOMERS));
            }
        }
    }

    private static void query(PreparedStatement statement, Object key) throws SQLException {
        statement.setObject(1, key);
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                rows.getObject(1);
            }
        }
    }

    private Connection connect() throws SQLException {
        return keep(DriverManager.getConnection(url, "sa", ""));
    }

    private <T extends AutoCloseable> T keep(T resource) {
        synchronized (open) {
            open.add(resource);
        }
        return resource;
    }
}
