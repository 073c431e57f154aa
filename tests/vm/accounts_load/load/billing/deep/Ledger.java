package load.billing.deep;

/** A package below billing's: the same account. */
public final class Ledger {
    /** One line of the ledger. */
    public static class Entry {
        long amount;
        Object invoice;
    }

    public static volatile Object sink;

    private Ledger() {}

    public static void enter() {
        sink = new Entry();
    }
}
