namespace HeapMaker;

/// <summary>Sessions that come all the time; as many as are kept stay, the others go. The heap is collected once a second, as a busier one would be.</summary>
internal static class Traffic
{
    private const int SessionsPerTurn = 8;
    private const int TurnMs = 10;
    private const int TurnsPerCollection = 100;
    private const int KeptOfSteady = 5_000;

    private static readonly LinkedList<Session> Sessions = new();
    private static Thread? _thread;
    private static volatile bool _over;

    public static string Begin(bool keepsAll)
    {
        _thread = new Thread(() => Work(keepsAll ? int.MaxValue : KeptOfSteady)) { Name = "traffic", IsBackground = true };
        _thread.Start();
        return keepsAll ? "traffic leaks" : "traffic steady";
    }

    public static string End()
    {
        _over = true;
        _thread?.Join();
        _over = false;
        return "traffic off";
    }

    private static void Work(int kept)
    {
        for (long turn = 1; !_over; turn++)
        {
            for (int i = 0; i < SessionsPerTurn; i++)
            {
                Sessions.AddLast(new Session($"user-{turn}-{i}"));
            }
            while (Sessions.Count > kept)
            {
                Sessions.RemoveFirst();
            }
            if (turn % TurnsPerCollection == 0)
            {
                GC.Collect();
            }
            Thread.Sleep(TurnMs);
        }
    }

    internal sealed class Session(string user)
    {
        public string User { get; } = user;

        public decimal Begun { get; set; }

        public decimal Bought { get; set; }

        public decimal Paid { get; set; }

        public decimal Sent { get; set; }

        public long[] Baskets { get; } = new long[12];
    }
}
