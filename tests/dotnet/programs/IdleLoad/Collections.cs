namespace IdleLoad;

/// <summary>How many collections there were; in the background: those of the oldest generation while the application ran.</summary>
internal readonly record struct Collections(int Gen0, int Gen1, int Gen2, long Background)
{
    public static Collections Now() =>
        new(GC.CollectionCount(0), GC.CollectionCount(1), GC.CollectionCount(2), BackgroundCount.Value);

    public static Collections operator -(Collections later, Collections earlier) =>
        new(later.Gen0 - earlier.Gen0, later.Gen1 - earlier.Gen1, later.Gen2 - earlier.Gen2, later.Background - earlier.Background);

    public override string ToString() => $"{Gen0} {Gen1} {Gen2} {Background}";

    /// <summary>The runtime tells the last background collection alone, so somebody looks after each collection of the oldest generation.</summary>
    private sealed class BackgroundCount
    {
        private static long s_count;
        private static long s_last;

        public static long Value => Volatile.Read(ref s_count);

        static BackgroundCount() => _ = new BackgroundCount();

        ~BackgroundCount()
        {
            long index = GC.GetGCMemoryInfo(GCKind.Background).Index;
            if (index != s_last)
            {
                s_last = index;
                Interlocked.Increment(ref s_count);
            }
            _ = new BackgroundCount();
        }
    }
}
