import org.apache.activemq.broker.BrokerService;

/** An ActiveMQ broker with a queue that clients fill over loopback and never read: MESSAGES. */
final class Broker {
    private Broker() {}

    public static void main(String[] words) throws Exception {
        BrokerService broker = new BrokerService();
        broker.setBrokerName("zoo");
        broker.setPersistent(false);
        broker.setUseJmx(false);
        broker.setUseShutdownHook(false);
        broker.addConnector("tcp://127.0.0.1:0");
        broker.start();
        broker.waitUntilStarted();
        Clients.start(BrokerClients.class, broker.getTransportConnectors().get(0).getPublishableConnectString(), words[0]);
        broker.waitUntilStopped();
    }
}
