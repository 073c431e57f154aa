using System.Diagnostics;
using System.Globalization;

namespace IdleLoad;

/// <summary>
/// An allocation- and lock-heavy load, for what an idle agent costs. Each operation allocates a handful of objects, some of which survive for a
/// while, and takes two locks that all threads share, of many, so that threads seldom meet. Now and then it throws.
/// </summary>
internal sealed class Load
{
    private const int Shards = 64;
    private const int KeptPerShard = 5_000;
    private const int QueueLength = 100;
    private const int CheckEvery = 256;

    private readonly Dictionary<int, List<string>>[] _shards = new Dictionary<int, List<string>>[Shards];
    private readonly Queue<int[]>[] _queues = new Queue<int[]>[Shards];
    private readonly int _threads;
    private volatile bool _stop;

    public Load(int threads)
    {
        _threads = threads;
        for (int i = 0; i < Shards; i++)
        {
            _shards[i] = [];
            _queues[i] = new Queue<int[]>();
        }
    }

    public double OperationsPerSecond(int seconds)
    {
        _stop = false;
        long[] done = new long[_threads];
        long begin = Stopwatch.GetTimestamp();
        var workers = new Thread[_threads];
        for (int i = 0; i < workers.Length; i++)
        {
            int index = i;
            workers[i] = new Thread(() => done[index] = Work(new Random(index + 1)));
            workers[i].Start();
        }
        Thread.Sleep(TimeSpan.FromSeconds(seconds));
        _stop = true;
        foreach (Thread worker in workers)
        {
            worker.Join();
        }
        return done.Sum() / Stopwatch.GetElapsedTime(begin).TotalSeconds;
    }

    private long Work(Random random)
    {
        long done = 0;
        while (!_stop)
        {
            for (int i = 0; i < CheckEvery; i++)
            {
                Operation(random);
            }
            Fail();
            done += CheckEvery;
        }
        return done;
    }

    private void Operation(Random random)
    {
        int key = random.Next(KeptPerShard);
        var value = new List<string>(4)
        {
            string.Create(CultureInfo.InvariantCulture, $"entry {key}"),
            (key * 31).ToString(CultureInfo.InvariantCulture),
        };
        Dictionary<int, List<string>> shard = _shards[random.Next(Shards)];
        lock (shard)
        {
            shard[key] = value;
        }
        Queue<int[]> queue = _queues[random.Next(Shards)];
        lock (queue)
        {
            queue.Enqueue(new int[16]);
            if (queue.Count > QueueLength)
            {
                queue.Dequeue();
            }
        }
    }

    private static void Fail()
    {
        try
        {
            throw new InvalidOperationException();
        }
        catch (InvalidOperationException)
        {
            // What an exception costs is part of the load.
        }
    }
}
