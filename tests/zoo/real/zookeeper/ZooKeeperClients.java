import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;

/** Makes nodes in a server, says FULL, then reads and writes them from several sessions: PORT NODES. */
final class ZooKeeperClients {
    private static final int SESSIONS = 4;
    private static final int AT_ONCE = 500;
    private static final int BELOW_ONE = 1_000;

    private ZooKeeperClients() {}

    public static void main(String[] words) throws Exception {
        Clients.endWithServer();
        int nodes = Integer.parseInt(words[1]);
        ZooKeeper first = connect(words[0]);
        fill(first, nodes);
        System.out.println("FULL");
        for (int i = 0; i < SESSIONS; i++) {
            ZooKeeper session = connect(words[0]);
            new Thread(() -> use(session, nodes), "session-" + i).start();
        }
    }

    private static ZooKeeper connect(String port) throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper session = new ZooKeeper("127.0.0.1:" + port, 30_000, event -> {
            if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
                connected.countDown();
            }
        });
        connected.await();
        return session;
    }

    private static String path(int node) {
        return "/parent-" + node / BELOW_ONE + "/node-" + node;
    }

    private static void fill(ZooKeeper session, int nodes) throws Exception {
        Semaphore open = new Semaphore(AT_ONCE);
        for (int i = 0; i < nodes; i++) {
            if (i % BELOW_ONE == 0) {
                session.create("/parent-" + i / BELOW_ONE, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            }
            open.acquire();
            session.create(path(i), ("value of node " + i).getBytes(), ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT,
                    (code, path, context, name) -> open.release(), null);
        }
        open.acquire(AT_ONCE);
    }

    private static void use(ZooKeeper session, int nodes) {
        try {
            while (true) {
                int node = ThreadLocalRandom.current().nextInt(nodes);
                byte[] value = session.getData(path(node), node % 16 == 0, null);
                if (node % 4 == 0) {
                    session.setData(path(node), value, -1);
                }
                Thread.sleep(1);
            }
        } catch (KeeperException | InterruptedException error) {
            error.printStackTrace();
        }
    }
}
