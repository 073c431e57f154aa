namespace AgeMaker;

/// <summary>Threads that allocate, keep some of it for a while in a random place each, and so have the collector sweep, move and promote.</summary>
internal sealed class Garbage
{
    private const int Kept = 50_000;

    private readonly Thread[] _threads;
    private volatile bool _stop;

    public Garbage(int threads)
    {
        _threads = new Thread[threads];
        for (int i = 0; i < threads; i++)
        {
            int seed = i;
            _threads[i] = new Thread(() => Run(new Random(seed)));
            _threads[i].Start();
        }
    }

    public void Stop()
    {
        _stop = true;
        foreach (Thread thread in _threads)
        {
            thread.Join();
        }
    }

    private void Run(Random random)
    {
        var kept = new object[Kept];
        while (!_stop)
        {
            for (int i = 0; i < 1_000; i++)
            {
                kept[random.Next(Kept)] = new byte[random.Next(100)];
                _ = new byte[random.Next(200)];
            }
        }
    }
}
