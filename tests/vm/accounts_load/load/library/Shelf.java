package load.library;

import java.util.function.IntConsumer;
import load.Layout;
import load.Truth;

/** The account load.library.Shelf, a class: allocates for whoever calls it, and calls back. */
public final class Shelf {

    static volatile Object sink;

    /** A nested class: the same account. */
    public static class Card {
        byte shelf;
    }

    /** For whom the library works: its rows of the truth. */
    public static final class Customer {
        private final int cards;
        private final int copies;

        public Customer(String principal) {
            cards = Truth.row("load.library.Shelf", principal, "load.library.Shelf$Card");
            copies = Truth.row("load.library.Shelf", principal, "float[]");
        }
    }

    private Shelf() {}

    public static void each(int n, IntConsumer act, Customer customer) {
        for (int i = 0; i < n; i++) {
            sink = new Card();
            act.accept(i);
            sink = Layout.MASTER.clone();
        }
        Truth.add(customer.cards, n, Layout.CARD);
        Truth.add(customer.copies, n, Layout.floats(Layout.MASTER.length));
    }
}
