namespace HeapMaker;

/// <summary>Asks for one background collection after another.</summary>
internal static class BackgroundCollections
{
    private static Thread? _thread;
    private static volatile bool _over;

    public static string Switch(bool on)
    {
        _over = true;
        _thread?.Join();
        _thread = null;
        _over = false;
        if (on)
        {
            _thread = new Thread(Work) { Name = "background collections", IsBackground = true };
            _thread.Start();
        }
        return on ? "background on" : "background off";
    }

    private static void Work()
    {
        while (!_over)
        {
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: false);
            Thread.Sleep(1);
        }
    }
}
