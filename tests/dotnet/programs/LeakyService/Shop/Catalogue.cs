namespace Shop;

/// <summary>What is sold. Held for good, and rightly so.</summary>
internal sealed class Catalogue(int size)
{
    private readonly Product[] _products = Enumerable.Range(0, size).Select(i => new Product(i, $"product {i}", 1 + i % 97)).ToArray();

    public Product this[int number] => _products[number % _products.Length];
}

internal sealed record Product(int Number, string Name, double Price);
