import java.net.ServerSocket;
import org.apache.zookeeper.server.ZooKeeperServerMain;

/** A stand-alone ZooKeeper, started as its script does it, that clients fill with so many nodes and go on asking: NODES. */
final class ZooKeeperServer {
    private ZooKeeperServer() {}

    public static void main(String[] words) throws Exception {
        System.setProperty("zookeeper.admin.enableServer", "false");
        System.setProperty("zookeeper.forceSync", "no");
        System.setProperty("zookeeper.maxCnxns", "0");
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Clients.start(ZooKeeperClients.class, port, words[0]);
        ZooKeeperServerMain.main(new String[] {String.valueOf(port), Clients.directory().toString()});
    }
}
