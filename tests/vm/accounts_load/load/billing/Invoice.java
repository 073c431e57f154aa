package load.billing;

/** Has parts, which its constructor allocates. */
public class Invoice {
    static final int PARTS = 5;

    final double[] parts;
    int number;

    public Invoice() {
        parts = new double[PARTS];
    }

    /** One without parts. */
    public Invoice(int number) {
        this.number = number;
        parts = null;
    }
}
