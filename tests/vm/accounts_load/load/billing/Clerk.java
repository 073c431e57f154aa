package load.billing;

import load.Layout;
import load.Truth;
import load.billing.deep.Ledger;
import load.orders.Kept;

/** The account load.billing.*. */
public final class Clerk {
    private static final String ME = "load.billing.*";
    private static final int[] LENGTHS = {0, 1, 3, 7, 100, 1001, 30_011};
    private static final int ARRAYS = Truth.row(ME, "-", "float[]");
    private static final int GRIDS = Truth.row(ME, "-", "double[][]");
    private static final int GRID_ROWS = Truth.row(ME, "-", "double[]");
    private static final int COLOURS = Truth.row(ME, "-", "load.billing.Clerk$Colour[]");
    private static final int KEPT = Truth.row(ME, "-", "load.orders.Kept");
    private static final int COLOUR_COUNT = 3;
    private static final int HEIGHT = 3;
    private static final int WIDTH = 7;
    private static final Customer NOBODY = new Customer("-");

    public static volatile Object sink;

    /** Its values() is a copy each time. */
    enum Colour { RED, GREEN, BLUE }

    private static Kept[] hoard;

    /** Objects as orders keep them, too. */
    public static void keep(int n) {
        hoard = new Kept[n];
        for (int i = 0; i < n; i++) hoard[i] = new Kept();
        Truth.add(KEPT, n, Layout.KEPT);
    }

    public static void drop() {
        hoard = null;
    }

    /** For whom billing works: its rows of the truth. */
    public static final class Customer {
        private final int entries;
        private final int parts;
        private final int refusals;
        private final int invoices;

        public Customer(String principal) {
            entries = Truth.row(ME, principal, "load.billing.deep.Ledger$Entry");
            parts = Truth.row(ME, principal, "double[]");
            refusals = Truth.row(ME, principal, "load.billing.Clerk$Refusal");
            invoices = Truth.row(ME, principal, "load.billing.Invoice");
        }

        public void countParts(int n) {
            Truth.add(parts, n, Layout.doubles(Invoice.PARTS));
        }

        public void countRefusals(int n) {
            Truth.add(refusals, n, Layout.REFUSAL);
        }

        public void countMade(int n) {
            Truth.add(invoices, n, Layout.INVOICE);
            countParts(n);
        }
    }

    /** Without a stack trace, which the VM would allocate in our name. */
    public static class Refusal extends Exception {
        private static final long serialVersionUID = 1;

        public Refusal() {
            super("no", null, false, false);
        }
    }

    /** A thread that is billing's from its first frame on. */
    public static final class Worker extends Thread {
        private final int n;

        public Worker(int n) {
            super("clerk");
            this.n = n;
        }

        @Override
        public void run() {
            enter(n, NOBODY);
        }
    }

    private Clerk() {}

    /** The first use of Colour, which keeps one array of them for itself and gives one away. */
    public static void open() {
        sink = Colour.values();
        Truth.add(COLOURS, 2, Layout.references(COLOUR_COUNT));
    }

    public static void enter(int n, Customer customer) {
        for (int i = 0; i < n; i++) Ledger.enter();
        Truth.add(customer.entries, n, Layout.ENTRY);
    }

    public static Object make() {
        return new Invoice();
    }

    public static void refuse(int depth) throws Refusal {
        if (depth > 0) refuse(depth - 1);
        else throw new Refusal();
    }

    /** Arrays of odd sizes, of two dimensions, and copies. */
    public static void fill(int n) {
        for (int i = 0; i < n; i++) {
            int length = i % 100 == 0 ? LENGTHS.length - 1 : i % (LENGTHS.length - 1);  // few of the long ones
            sink = new float[LENGTHS[length]];
            Truth.add(ARRAYS, 1, Layout.floats(LENGTHS[length]));
            sink = new double[HEIGHT][WIDTH];
            sink = Colour.values();
        }
        Truth.add(GRIDS, n, Layout.references(HEIGHT));
        Truth.add(GRID_ROWS, (long) HEIGHT * n, Layout.doubles(WIDTH));
        Truth.add(COLOURS, n, Layout.references(COLOUR_COUNT));
    }
}
