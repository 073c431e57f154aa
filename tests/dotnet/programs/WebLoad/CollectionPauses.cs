namespace WebLoad;

/// <summary>How long each collection stopped the application: what the runtime itself says, looked up often.</summary>
internal sealed class CollectionPauses
{
    private readonly object _lock = new();
    private readonly List<double> _pauses = new();

    public CollectionPauses() => new Thread(Look) { Name = "collection pauses", IsBackground = true }.Start();

    public string Restart()
    {
        lock (_lock)
        {
            _pauses.Clear();
        }
        return "marked";
    }

    public double[] All()
    {
        lock (_lock)
        {
            return _pauses.ToArray();
        }
    }

    private void Look()
    {
        long seen = 0;
        while (true)
        {
            Thread.Sleep(1);
            GCMemoryInfo last = GC.GetGCMemoryInfo(GCKind.Any);
            if (last.Index == seen)
            {
                continue;
            }
            seen = last.Index;
            lock (_lock)
            {
                foreach (TimeSpan pause in last.PauseDurations)
                {
                    if (pause > TimeSpan.Zero)
                    {
                        _pauses.Add(pause.TotalMilliseconds);
                    }
                }
            }
        }
    }
}
