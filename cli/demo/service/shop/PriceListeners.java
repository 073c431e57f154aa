package shop;

import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;

/** Who wants to hear of new prices: held weakly, so this alone keeps no session. */
public final class PriceListeners {
    private final Map<Session, String> watchers = Collections.synchronizedMap(new WeakHashMap<>());

    public void watch(Session session) {
        watchers.put(session, "prices");
    }
}
