package shop;

import java.util.HashMap;
import java.util.Map;

/** What the shop remembers of a user who logged in. */
public final class Session {
    private static final int CART_CHARS = 4_000;

    private final int number;
    private final String userName;
    private final Map<String, Object> attributes = new HashMap<>();
    private final char[] cart = new char[CART_CHARS];

    Session(int number, String userName) {
        this.number = number;
        this.userName = userName;
        attributes.put("user", userName);
        attributes.put("loggedInAt", System.currentTimeMillis());
    }

    public int number() {
        return number;
    }

    public void put(String key, Object value) {
        attributes.put(key, value);
    }

    @Override
    public String toString() {
        return "session " + number + " of " + userName + ", cart for " + cart.length + " characters";
    }
}
