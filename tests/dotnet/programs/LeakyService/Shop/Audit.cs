using System.Collections.Concurrent;

namespace Shop;

/// <summary>What is to be written to the log when there is time. Each closure holds what it will write; there never is time.</summary>
internal static class Audit
{
    private static readonly ConcurrentQueue<Action<TextWriter>> Pending = new();

    public static void Later(Product product, DateTime when)
    {
        string line = $"{when:O} {product.Name} was looked at";
        Pending.Enqueue(writer => writer.WriteLine(line));
    }

    public static void WriteAll(TextWriter writer)
    {
        while (Pending.TryDequeue(out Action<TextWriter>? write))
        {
            write(writer);
        }
    }
}
