import javax.jms.Connection;
import javax.jms.DeliveryMode;
import javax.jms.JMSException;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.Session;
import org.apache.activemq.ActiveMQConnectionFactory;

/** Sends to some queues and receives from them, fills one that is not read, says FULL, and goes on with the others: ADDRESS MESSAGES. */
final class BrokerClients {
    private static final int PAIRS = 4;

    private BrokerClients() {}

    public static void main(String[] words) throws Exception {
        Clients.endWithServer();
        ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory(words[0]);
        factory.setUseAsyncSend(true);
        Connection connection = factory.createConnection();
        connection.start();
        for (int i = 0; i < PAIRS; i++) {
            String queue = "invoices-" + i;
            new Thread(() -> use(connection, queue), queue).start();
        }
        fill(connection, Integer.parseInt(words[1]));
        System.out.println("FULL");
    }

    private static MessageProducer producer(Session session, String queue) throws JMSException {
        MessageProducer producer = session.createProducer(session.createQueue(queue));
        producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
        return producer;
    }

    private static void fill(Connection connection, int messages) throws JMSException {
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        MessageProducer producer = producer(session, "orders");
        String text = "order ".repeat(100);
        for (int i = 0; i < messages; i++) {
            producer.send(session.createTextMessage(text + i));
        }
        session.close();
    }

    private static void use(Connection connection, String queue) {
        try {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageProducer producer = producer(session, queue);
            MessageConsumer consumer = session.createConsumer(session.createQueue(queue));
            while (true) {
                producer.send(session.createTextMessage("invoice"));
                consumer.receive();
                Thread.sleep(1);
            }
        } catch (JMSException | InterruptedException error) {
            error.printStackTrace();
        }
    }
}
