import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;

/** The kind of DaCapo's hsqldb: a bank of branches, tellers and accounts in memory, transactions by two clients, sums that must agree. */
final class BankTeller implements Rounds.Program {
    private static final int TELLERS = 10;          // of each branch; a branch is a client's own, so two never wait for one row
    private static final int ACCOUNTS = 5_000;      // likewise
    private static final int TRANSACTIONS = 3_000;  // of a client in a round
    private static final String URL = "jdbc:hsqldb:mem:bank";
    private static final String[] TABLES = {"branch", "teller", "account"};

    private final Client[] clients = new Client[2];
    private final TwoThreads threads = new TwoThreads();
    private final Connection office = DriverManager.getConnection(URL, "SA", "");

    private BankTeller() throws SQLException {
        execute("SET DATABASE TRANSACTION CONTROL MVCC");
        for (String table : TABLES) {
            execute("CREATE TABLE " + table + "(id INT PRIMARY KEY, branch INT, balance BIGINT, filler VARCHAR(84))");
        }
        execute("CREATE TABLE history(teller INT, branch INT, account INT, delta BIGINT, filler VARCHAR(22))");
        for (int i = 0; i < clients.length; i++) {
            fill("branch", i, 1);
            fill("teller", i, TELLERS);
            fill("account", i, ACCOUNTS);
            clients[i] = new Client(i);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Rounds.run(new BankTeller(), arguments);
    }

    @Override
    public long round() throws Exception {
        execute("DELETE FROM history");
        for (String table : TABLES) {
            execute("UPDATE " + table + " SET balance = 0");
        }
        long deltas = threads.run(number -> clients[number].serve());
        Digest digest = new Digest().add(deltas);
        long history = number("SELECT sum(delta) FROM history");
        for (String table : TABLES) {
            long sum = number("SELECT sum(balance) FROM " + table);
            Rounds.check(sum == history, "the balances of %s come to %d, the history to %d", table, sum, history);
        }
        Rounds.check(number("SELECT count(*) FROM history") == (long) clients.length * TRANSACTIONS, "transactions are lost");
        return digest.add(history).add(number("SELECT sum(balance * id) FROM account")).value();
    }

    @Override
    public void end() throws Exception {
        threads.end();
        execute("SHUTDOWN");
    }

    private void fill(String table, int branch, int count) throws SQLException {
        try (PreparedStatement insert = office.prepareStatement("INSERT INTO " + table + " VALUES(?, ?, 0, ?)")) {
            for (int i = 0; i < count; i++) {
                insert.setInt(1, branch * count + i);
                insert.setInt(2, branch);
                insert.setString(3, table + " " + i);
                insert.executeUpdate();
            }
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = office.createStatement()) {
            statement.execute(sql);
        }
    }

    private long number(String sql) throws SQLException {
        try (Statement statement = office.createStatement(); ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    /** One connection with its prepared statements. */
    private static final class Client {
        private final int branch;
        private final Connection connection = DriverManager.getConnection(URL, "SA", "");
        private final PreparedStatement account = connection.prepareStatement("UPDATE account SET balance = balance + ? WHERE id = ?");
        private final PreparedStatement read = connection.prepareStatement("SELECT balance, filler FROM account WHERE id = ?");
        private final PreparedStatement teller = connection.prepareStatement("UPDATE teller SET balance = balance + ? WHERE id = ?");
        private final PreparedStatement branches = connection.prepareStatement("UPDATE branch SET balance = balance + ? WHERE id = ?");
        private final PreparedStatement history = connection.prepareStatement("INSERT INTO history VALUES(?, ?, ?, ?, 'a transaction')");

        Client(int branch) throws SQLException {
            this.branch = branch;
            connection.setAutoCommit(false);
        }

        long serve() throws SQLException {
            Random random = new Random(branch);
            Digest digest = new Digest();
            for (int i = 0; i < TRANSACTIONS; i++) {
                digest.add(transaction(branch * ACCOUNTS + random.nextInt(ACCOUNTS), branch * TELLERS + random.nextInt(TELLERS),
                    random.nextInt(2_000_001) - 1_000_000));
            }
            return digest.value();
        }

        private long transaction(int accountId, int tellerId, int delta) throws SQLException {
            add(account, delta, accountId);
            read.setInt(1, accountId);
            long balance;
            try (ResultSet rows = read.executeQuery()) {
                rows.next();
                balance = rows.getLong(1) + rows.getString(2).length();
            }
            add(teller, delta, tellerId);
            add(branches, delta, branch);
            history.setInt(1, tellerId);
            history.setInt(2, branch);
            history.setInt(3, accountId);
            history.setLong(4, delta);
            history.executeUpdate();
            connection.commit();
            return balance;
        }

        private static void add(PreparedStatement update, int delta, int id) throws SQLException {
            update.setLong(1, delta);
            update.setInt(2, id);
            Rounds.check(update.executeUpdate() == 1, "no row %d", id);
        }
    }
}
