package load.orders;

/** 2 longs, a reference and a byte: a size that is no power of two. */
public class Order implements Cloneable {
    long number;
    long price;
    Object next;
    byte state;

    public Order() {}

    @Override
    public Order clone() {
        try {
            return (Order) super.clone();
        } catch (CloneNotSupportedException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
