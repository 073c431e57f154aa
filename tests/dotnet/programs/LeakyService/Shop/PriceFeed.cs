namespace Shop;

/// <summary>Tells whoever listens that a price has changed.</summary>
internal static class PriceFeed
{
    public static event Action<int, double>? Changed;

    public static void Publish(int product, double price) => Changed?.Invoke(product, price);
}
