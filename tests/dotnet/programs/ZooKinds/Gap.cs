using System.Diagnostics;

namespace ZooKinds;

/// <summary>Measures the longest time that the program stood still, and answers on standard input.</summary>
internal static class Gap
{
    private static long _longest;

    private static void Measure()
    {
        long last = Stopwatch.GetTimestamp();
        while (true)
        {
            Thread.Sleep(1);
            long now = Stopwatch.GetTimestamp();
            if (now - last > Interlocked.Read(ref _longest))
            {
                Interlocked.Exchange(ref _longest, now - last);
            }
            last = now;
        }
    }

    public static void Serve()
    {
        new Thread(Measure) { IsBackground = true, Name = "gap", Priority = ThreadPriority.Highest }.Start();
        Console.WriteLine("READY");
        while (Console.ReadLine() is { } line)
        {
            long longest = Interlocked.Exchange(ref _longest, 0);
            Console.WriteLine(line == "gap" ? $"gap {longest * 1_000_000 / Stopwatch.Frequency}" : $"unknown {line}");
        }
        Environment.FailFast("the input ended");  // a finalizer that is stuck would hold up an orderly end
    }
}
