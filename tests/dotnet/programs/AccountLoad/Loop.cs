#pragma warning disable CS0649 // Fields are there for their bytes.

using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace AccountLoad;

/// <summary>A loop that does nothing but allocate: what sampling costs at most.</summary>
internal static class Loop
{
    private const int CheckEvery = 100_000;

    private sealed class Item { public long A, B, C; }

    /// <summary>Objects per second of the whole process' CPU time.</summary>
    public static double Run(TimeSpan time, int depth)
    {
        TimeSpan before = Environment.CpuUsage();
        long begin = Stopwatch.GetTimestamp();
        long done = 0;
        while (Stopwatch.GetElapsedTime(begin) < time)
        {
            Below(depth);
            done += CheckEvery;
        }
        return done / (Environment.CpuUsage() - before).TotalSeconds;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Below(int depth)
    {
        if (depth > 0)
        {
            Below(depth - 1);
            GC.KeepAlive(depth);
            return;
        }
        for (int i = 0; i < CheckEvery; i++)
        {
            Expectations.Sink = new Item { A = i };
        }
    }

    private static class Environment
    {
        public static TimeSpan CpuUsage()
        {
            using Process self = Process.GetCurrentProcess();
            return self.TotalProcessorTime;
        }
    }
}
