using System.Diagnostics;
using System.Globalization;

namespace AgeLoad;

internal sealed class Session(long id)
{
    public long Id { get; } = id;
    public Order?[] Cart { get; } = new Order?[4];
}

internal sealed class Order(Session of, string text)
{
    public Session Of { get; } = of;
    public string Text { get; } = text;
}

/// <summary>144 bytes, so that what stays of them matters.</summary>
internal sealed class ImportRow(long id)
{
    public decimal First { get; } = id;
    public decimal Second { get; } = id;
    public decimal Third { get; } = id;
    public decimal Fourth { get; } = id;
    public decimal Fifth { get; } = id;
    public decimal Sixth { get; } = id;
    public decimal Seventh { get; } = id;
    public decimal Eighth { get; } = id;
}

internal sealed class Entry
{
    public byte[] Content { get; } = new byte[200];
}

/// <summary>
/// AgeLoad leak|rest|stop SECONDS: allocates as fast as it can, and what it allocates dies: but for one object in a thousand.
/// leak: that one stays for good. rest: the last 2,000 of them stay, and a cache that was filled at the start. stop: as leak, and
/// rows of an import, of which every tenth stays, but for those there are no more after StopAfter collections.
/// Prints how many collections there were, ten times a second, and once "STOPPED" and how many rows stay.
/// </summary>
internal static class Program
{
    private const int StopAfter = 40;
    private const int Kept = 2_000;
    private const int IterationObjects = 9;
    private static readonly List<Session> Leak = [];
    private static readonly List<ImportRow> Imported = [];
    private static readonly Session[] Recent = new Session[Kept];
    private static readonly Dictionary<int, Entry> Cache = [];
    private static object? sink;

    private static void Iterate(long i, bool leak)
    {
        var session = new Session(i);
        for (int k = 0; k < 3; ++k)
        {
            session.Cart[k] = new Order(session, (i + k).ToString(CultureInfo.InvariantCulture));
        }
        sink = session;
        if (i % (1_000 / IterationObjects) != 0)
        {
            return;
        }
        Array.Clear(session.Cart);
        if (leak)
        {
            Leak.Add(session);
        }
        else
        {
            Recent[i / (1_000 / IterationObjects) % Kept] = session;
        }
    }

    private static void ImportOne(long i)
    {
        var row = new ImportRow(i);
        sink = row;
        if (i % 50 == 0)
        {
            Imported.Add(row);
        }
    }

    private static void Main(string[] args)
    {
        bool importing = args[0] == "stop";
        bool leak = importing || args[0] == "leak";
        var clock = Stopwatch.StartNew();
        var until = TimeSpan.FromSeconds(int.Parse(args[1], CultureInfo.InvariantCulture));
        for (int i = 0; i < 20_000; ++i)
        {
            Cache[i] = new Entry();
        }
        Console.WriteLine("READY");
        TimeSpan next = TimeSpan.Zero;
        for (long i = 0; clock.Elapsed < until; ++i)
        {
            for (int k = 0; k < 1_000; ++k, ++i)
            {
                Iterate(i, leak);
                if (importing && i % 5 == 0)
                {
                    ImportOne(i);
                }
            }
            if (clock.Elapsed < next)
            {
                continue;
            }
            next = clock.Elapsed + TimeSpan.FromMilliseconds(100);
            Console.WriteLine($"COLLECTIONS {GC.CollectionCount(0)}");
            if (importing && GC.CollectionCount(0) >= StopAfter)
            {
                importing = false;
                Console.WriteLine($"STOPPED {Imported.Count}");
            }
        }
        GC.KeepAlive(sink);
    }
}
