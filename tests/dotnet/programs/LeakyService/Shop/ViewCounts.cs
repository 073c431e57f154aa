using System.Runtime.CompilerServices;

namespace Shop;

/// <summary>Views by product, meant to go when the product goes. Products of the catalogue never do, and each view is kept.</summary>
internal static class ViewCounts
{
    private static readonly ConditionalWeakTable<Product, List<ProductView>> Views = new();

    public static void Count(Product product)
    {
        List<ProductView> views = Views.GetOrCreateValue(product);
        lock (views)
        {
            views.Add(new ProductView(DateTime.UtcNow));
        }
    }
}

internal sealed record ProductView(DateTime When);
