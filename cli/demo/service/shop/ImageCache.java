package shop;

import java.lang.ref.SoftReference;
import java.util.concurrent.ConcurrentHashMap;

/** Thumbnails that may go when memory is short. */
public final class ImageCache {
    private static final int THUMBNAIL_BYTES = 16_384;

    private final ConcurrentHashMap<Integer, SoftReference<byte[]>> thumbnails = new ConcurrentHashMap<>();

    public byte[] thumbnail(int id) {
        SoftReference<byte[]> reference = thumbnails.get(id);
        byte[] pixels = reference == null ? null : reference.get();
        if (pixels == null) {
            pixels = new byte[THUMBNAIL_BYTES];
            thumbnails.put(id, new SoftReference<>(pixels));
        }
        return pixels;
    }
}
