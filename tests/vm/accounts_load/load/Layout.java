package load;

import load.billing.Clerk;
import load.billing.Invoice;
import load.billing.deep.Ledger;
import load.library.Shelf;
import load.orders.Kept;
import load.orders.Order;
import load.plugin.Plugin;

/** The sizes of everything that is counted: worked out before anything is, and with no account below. */
public final class Layout {
    public static final long PLAIN = Sizes.of(AccountsLoad.PlainTwin::new);
    public static final long ORDER = Sizes.of(Order::new);
    public static final long KEPT = Sizes.of(Kept::new);
    public static final long INVOICE = Sizes.of(() -> new Invoice(0));
    public static final long ENTRY = Sizes.of(Ledger.Entry::new);
    public static final long REFUSAL = Sizes.of(Clerk.Refusal::new);
    public static final long CARD = Sizes.of(Shelf.Card::new);
    public static final long THING = Sizes.of(Plugin.Thing::new);
    private static final long NO_FLOATS = Sizes.of(() -> new float[0]);
    private static final long ONE_FLOAT = Sizes.of(() -> new float[1]);
    private static final long NO_DOUBLES = Sizes.of(() -> new double[0]);
    private static final long NO_ORDERS = Sizes.of(() -> new Order[0]);
    private static final long ONE_ORDER = Sizes.of(() -> new Order[1]);
    private static final int MANY = 1000;
    private static final long REFERENCE = (Sizes.of(() -> new Order[MANY]) - NO_ORDERS) / MANY / 4 * 4;

    /** What is copied; allocated here, where no account is. */
    public static final float[] MASTER = new float[9];

    private Layout() {}

    /** Elements of 4 bytes may begin in the middle of a word of 8. */
    private static long array(long none, long one, long scale, int length) {
        long base = scale == 4 && one == none ? none - 4 : none;
        return (base + scale * length + 7) / 8 * 8;
    }

    public static long floats(int length) {
        return array(NO_FLOATS, ONE_FLOAT, 4, length);
    }

    public static long doubles(int length) {
        return array(NO_DOUBLES, 0, 8, length);
    }

    public static long references(int length) {
        return array(NO_ORDERS, ONE_ORDER, REFERENCE, length);
    }
}
