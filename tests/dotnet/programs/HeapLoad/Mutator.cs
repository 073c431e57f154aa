using System.Diagnostics;

namespace HeapLoad;

/// <summary>Changes the whole heap at random, the worst case for copy-on-write, and allocates; the graph keeps its size.</summary>
internal sealed class Mutator
{
    private const int WritesPerSlice = 64;
    private const int NewBytes = 200;
    private const int NewKept = 1024;

    private readonly Heap _heap;
    private readonly int _busyPercent;
    private long _writes;

    public Mutator(Heap heap, int busyPercent)
    {
        _heap = heap;
        _busyPercent = busyPercent;
        if (busyPercent > 0)
        {
            new Thread(Work) { Name = "mutator", IsBackground = true }.Start();
        }
    }

    public long Writes => Volatile.Read(ref _writes);

    /// <summary>Rest is owed for work, and taken once it is worth a sleep.</summary>
    private void Work()
    {
        var random = new Random(1);
        var kept = new byte[NewKept][];
        double owedMs = 0;
        for (int slice = 0; ; slice++)
        {
            long begin = Stopwatch.GetTimestamp();
            Slice(random);
            kept[slice & (NewKept - 1)] = new byte[NewBytes];
            owedMs += Stopwatch.GetElapsedTime(begin).TotalMilliseconds * (100 - _busyPercent) / _busyPercent;
            if (owedMs >= 1)
            {
                begin = Stopwatch.GetTimestamp();
                Thread.Sleep((int)owedMs);
                owedMs -= Stopwatch.GetElapsedTime(begin).TotalMilliseconds;
            }
        }
    }

    private void Slice(Random random)
    {
        for (int i = 0; i < WritesPerSlice; i++)
        {
            Heap.Entry one = _heap.EntryAt(random);
            Heap.Entry other = _heap.EntryAt(random);
            one.Value++;
            (one.Bytes, other.Bytes) = (other.Bytes, one.Bytes);
        }
        Volatile.Write(ref _writes, _writes + WritesPerSlice);
    }
}
