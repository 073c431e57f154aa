namespace ZooKinds;

/// <summary>Items that four threads hold by a static field of their own.</summary>
internal static class ThreadStatics
{
    private const int Workers = 4;

    [ThreadStatic]
    private static List<Item>? t_items;

    public static void Make(int count)
    {
        using var ready = new CountdownEvent(Workers);
        for (int i = 0; i < Workers; i++)
        {
            new Thread(() => Fill(count / Workers, ready)) { Name = $"worker-{i}", IsBackground = true }.Start();
        }
        ready.Wait();
    }

    private static void Fill(int count, CountdownEvent ready)
    {
        t_items = [];
        for (int i = 0; i < count; i++)
        {
            t_items.Add(new Item());
        }
        ready.Signal();
        Thread.Sleep(Timeout.Infinite);
    }
}
