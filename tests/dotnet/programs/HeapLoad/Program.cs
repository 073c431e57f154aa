using System.Diagnostics;
using System.Globalization;

namespace HeapLoad;

/// <summary>
/// A heap of OBJECTS objects with about 1.5 references each, for measuring what a dump costs.
///
///   HeapLoad OBJECTS [seed=N] [busy=PERCENT]   busy: how much of its time a mutating thread works; 0 unless told: there is none
///   stdin: mark -> "marked"; stall? -> "stall_ms X writes W" since the mark; collect -> "collected_ms X"; shrink -> "shrunk": what is free
///   goes back to the system; quit
///
/// Workstation or server GC, concurrent or not: DOTNET_gcServer, DOTNET_gcConcurrent.
/// </summary>
internal static class Program
{
    private static void Main(string[] arguments)
    {
        int busyPercent = Option(arguments, "busy", 0);
        var heap = new Heap(long.Parse(arguments[0]), Option(arguments, "seed", 1));
        GC.Collect();  // all of it into the oldest generation
        GC.Collect();
        var gap = new LongestGap();
        var mutator = new Mutator(heap, busyPercent);
        Console.WriteLine($"READY objects={heap.Objects} references={heap.References}");
        long writesAtMark = 0;
        while (Console.ReadLine() is { } line && line != "quit")
        {
            switch (line)
            {
                case "mark":
                    writesAtMark = mutator.Writes;
                    gap.Reset();
                    Console.WriteLine("marked");
                    break;
                case "stall?":
                    Console.WriteLine($"stall_ms {Shown(gap.LongestMs)} writes {mutator.Writes - writesAtMark}");
                    break;
                case "collect":
                    Console.WriteLine($"collected_ms {Shown(CollectMs())}");
                    break;
                case "shrink":
                    GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
                    Console.WriteLine("shrunk");
                    break;
                default:
                    Console.WriteLine($"unknown {line}");
                    break;
            }
        }
        GC.KeepAlive(heap);
    }

    private static double CollectMs()
    {
        long begin = Stopwatch.GetTimestamp();
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true);
        return Stopwatch.GetElapsedTime(begin).TotalMilliseconds;
    }

    private static string Shown(double milliseconds) => milliseconds.ToString("F2", CultureInfo.InvariantCulture);

    private static int Option(string[] arguments, string name, int unlessTold)
    {
        string? word = Array.Find(arguments, argument => argument.StartsWith(name + "=", StringComparison.Ordinal));
        return word == null ? unlessTold : int.Parse(word[(name.Length + 1)..]);
    }
}
