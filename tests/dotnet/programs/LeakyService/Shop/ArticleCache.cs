using System.Collections.Concurrent;

namespace Shop;

/// <summary>Pages that were made once. Without a limit, so a cache in name only.</summary>
internal static class ArticleCache
{
    private static readonly ConcurrentDictionary<int, ArticlePage> Pages = new();

    public static ArticlePage Page(Product product) => Pages.GetOrAdd(product.Number, _ => new ArticlePage(product));
}

internal sealed class ArticlePage(Product product)
{
    private const int HtmlLength = 1_000;

    public string Title { get; } = $"{product.Name} at {product.Price}";

    public string Html { get; } = new('x', HtmlLength);
}
