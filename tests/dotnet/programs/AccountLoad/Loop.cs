#pragma warning disable CS0649 // Fields are there for their bytes.

using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace AccountLoad;

/// <summary>A loop that does nothing but allocate: what sampling costs at most.</summary>
internal static class Loop
{
    private const int ObjectsARound = 100_000;
    private const int RoundsALook = 20; // a few hundredths of a second

    private sealed class Item { public long A, B, C; }

    /// <summary>
    /// Objects per second of the whole process' CPU time, and so much of it: on a machine with too much to do, seconds of a clock
    /// may hold hardly more than the compiler's work.
    /// </summary>
    public static double Run(TimeSpan time, int depth)
    {
        TimeSpan before = Environment.CpuUsage(), used = TimeSpan.Zero;
        long done = 0;
        while (used < time)
        {
            for (int i = 0; i < RoundsALook; i++)
            {
                Below(depth);
            }
            done += RoundsALook * ObjectsARound;
            used = Environment.CpuUsage() - before;
        }
        return done / used.TotalSeconds;
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
        for (int i = 0; i < ObjectsARound; i++)
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
