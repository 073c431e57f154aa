using System.Diagnostics;

namespace HeapLoad;

/// <summary>A thread that spins and looks at the clock: its longest gap is how long the application stood still.</summary>
internal sealed class LongestGap
{
    private long _last = Stopwatch.GetTimestamp();
    private long _longest;

    public LongestGap()
    {
        new Thread(Spin) { Name = "longest gap", IsBackground = true, Priority = ThreadPriority.Highest }.Start();
    }

    /// <summary>A gap that has not ended yet counts as well.</summary>
    public double LongestMs
    {
        get
        {
            long open = Stopwatch.GetTimestamp() - Volatile.Read(ref _last);
            return Math.Max(Volatile.Read(ref _longest), open) * 1000.0 / Stopwatch.Frequency;
        }
    }

    public void Reset() => Volatile.Write(ref _longest, 0);

    private void Spin()
    {
        Volatile.Write(ref _last, Stopwatch.GetTimestamp());
        while (true)
        {
            long now = Stopwatch.GetTimestamp();
            long gap = now - _last;
            if (gap > Volatile.Read(ref _longest))
            {
                Volatile.Write(ref _longest, gap);
            }
            Volatile.Write(ref _last, now);
        }
    }
}
