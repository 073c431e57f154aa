package shop;

import java.util.HashMap;
import java.util.Map;

/** Rendered articles under two indexes: each article is held by both, so neither index alone dominates it, only the cache does. */
public final class ArticleCache {
    /** A rendered article. */
    public static final class Article {
        private final String name;
        private final byte[] page;

        Article(String name, byte[] page) {
            this.name = name;
            this.page = page;
        }

        public String name() {
            return name;
        }

        public int pageBytes() {
            return page.length;
        }
    }

    private static final int PAGE_BYTES = 3_000;

    private final Map<Integer, Article> byId = new HashMap<>();
    private final Map<String, Article> byName = new HashMap<>();

    public synchronized Article byId(int id, Catalogue catalogue) {
        return byId.computeIfAbsent(id, key -> {
            Article article = new Article(catalogue.product(key).name(), new byte[PAGE_BYTES]);
            byName.put(article.name(), article);
            return article;
        });
    }

    public synchronized Article byName(String name) {
        return byName.get(name);
    }
}
