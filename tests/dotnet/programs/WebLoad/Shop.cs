using System.Collections.Concurrent;
using System.Text.Json;
using HeapLoad;

namespace WebLoad;

/// <summary>What a request does: reads and changes some of the large heap, and leaves an order behind, of which the newest are kept.</summary>
internal sealed class Shop(long objects)
{
    private const int Customers = 5_000;
    private const int KeptPerCustomer = 10;
    private const int Lines = 20;

    private readonly Heap _stock = new(objects, 1);
    private readonly ConcurrentDictionary<int, ConcurrentQueue<Placed>> _orders = new();

    public string Order(int customer)
    {
        var lines = new List<Line>(Lines);
        for (int i = 0; i < Lines; i++)
        {
            Heap.Entry entry = _stock.EntryAt(Random.Shared);
            lines.Add(new Line($"article {entry.Value++}", entry.Bytes.Length));
        }
        var order = new Placed(customer, DateTime.UtcNow, lines);
        ConcurrentQueue<Placed> kept = _orders.GetOrAdd(customer % Customers, _ => new ConcurrentQueue<Placed>());
        kept.Enqueue(order);
        if (kept.Count > KeptPerCustomer)
        {
            kept.TryDequeue(out _);
        }
        return JsonSerializer.Serialize(order);
    }

    internal sealed record Line(string Article, int Pieces);

    internal sealed record Placed(int Customer, DateTime At, List<Line> Lines);
}
