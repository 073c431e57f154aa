package shop;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** All sessions by number. The mistake of this service: nothing calls {@link #logout}. */
public final class SessionRegistry {
    private static final Map<Integer, Session> SESSIONS = new ConcurrentHashMap<>();
    private static final AtomicInteger NEXT = new AtomicInteger();

    private SessionRegistry() {}

    public static Session login(String userName) {
        Session session = new Session(NEXT.incrementAndGet(), userName);
        SESSIONS.put(session.number(), session);
        return session;
    }

    public static void logout(Session session) {
        SESSIONS.remove(session.number());
    }
}
