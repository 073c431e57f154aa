package shop;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A report that is never finished: its lines live in local variables of {@link #run} alone, so only the thread's stack holds them. */
public final class SalesReport implements Runnable {
    private static final int PAGES = 60;
    private static final int PAGE_BYTES = 65_536;

    private final Catalogue catalogue;
    private final CountDownLatch filled = new CountDownLatch(1);
    private volatile long checksum;

    public SalesReport(Catalogue catalogue) {
        this.catalogue = catalogue;
    }

    public void awaitFilled() {
        awaitQuietly(filled);
    }

    @Override
    public void run() {
        List<byte[]> pages = new ArrayList<>();
        for (int i = 0; i < PAGES; i++) {
            pages.add(new byte[PAGE_BYTES]);
        }
        filled.countDown();
        awaitQuietly(new CountDownLatch(1));  // the data for the summary never comes
        for (byte[] page : pages) {           // so the pages are still needed
            checksum += page.length + catalogue.size();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
