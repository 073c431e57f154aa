package shop;

import java.util.ArrayList;
import java.util.List;

/** What the shop sells: ordinary, healthy data. Neighbours are linked both ways, so there are cycles. */
public final class Catalogue {
    /** One thing on sale. */
    public static final class Product {
        private final String name;
        private final long priceCents;
        private final List<Product> related = new ArrayList<>(2);

        Product(String name, long priceCents) {
            this.name = name;
            this.priceCents = priceCents;
        }

        public String name() {
            return name;
        }

        public long priceCents() {
            return priceCents;
        }
    }

    private final List<Product> products = new ArrayList<>();

    public Catalogue(int size) {
        for (int i = 0; i < size; i++) {
            products.add(new Product("product " + i, 100 + i * 37L % 10_000));
        }
        for (int i = 1; i < size; i++) {
            products.get(i).related.add(products.get(i - 1));
            products.get(i - 1).related.add(products.get(i));
        }
    }

    public Product product(int index) {
        return products.get(index);
    }

    public int size() {
        return products.size();
    }
}
