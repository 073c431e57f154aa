namespace HeapMaker;

/// <summary>Threads that begin and end all the time.</summary>
internal static class ThreadTraffic
{
    private const int AtOnce = 4;

    private static readonly List<Thread> Starters = [];
    private static volatile bool _over;
    private static long _ended;

    public static string Begin()
    {
        _over = false;
        _ended = 0;
        for (int i = 0; i < AtOnce; i++)
        {
            var starter = new Thread(Work) { Name = $"starter {i}", IsBackground = true };
            starter.Start();
            Starters.Add(starter);
        }
        return "threads on";
    }

    public static string End()
    {
        _over = true;
        Starters.ForEach(starter => starter.Join());
        Starters.Clear();
        return $"threads off {_ended}";
    }

    private static void Work()
    {
        while (!_over)
        {
            var brief = new Thread(() => Interlocked.Increment(ref _ended)) { Name = "brief", IsBackground = true };
            brief.Start();
            brief.Join();
        }
    }
}
