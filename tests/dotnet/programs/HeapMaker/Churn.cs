namespace HeapMaker;

/// <summary>Threads that allocate, keep a little for a while and drop it, as busy applications do.</summary>
internal static class Churn
{
    private const int Kept = 10_000;
    private const int LargeEvery = 5_000;
    private const int LargeBytes = 100_000;

    private static readonly List<Thread> Running = [];
    private static volatile bool _over;

    public static string With(int threads)
    {
        _over = true;
        Running.ForEach(thread => thread.Join());
        Running.Clear();
        _over = false;
        for (int i = 0; i < threads; i++)
        {
            var thread = new Thread(Work) { Name = $"churn {i}", IsBackground = true };
            thread.Start(i);
            Running.Add(thread);
        }
        return $"churning {threads}";
    }

    private static void Work(object? seed)
    {
        var random = new Random((int)seed!);
        var kept = new object[Kept];
        for (long i = 0; !_over; i++)
        {
            int at = random.Next(Kept);
            kept[at] = i % LargeEvery == 0 ? new byte[LargeBytes] : new Litter(kept[random.Next(Kept)] as Litter, random.Next(64));
        }
    }

    /// <summary>Refers to an older one: some chains live long enough to be promoted. Cut, or they would never end.</summary>
    private sealed class Litter(Litter? older, int bytes)
    {
        public Litter? Older { get; } = older is { Depth: < 8 } ? older : null;

        public byte[] Bytes { get; } = new byte[bytes];

        private int Depth { get; } = older is { Depth: < 8 } ? older.Depth + 1 : 0;
    }
}
