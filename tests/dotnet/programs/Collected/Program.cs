namespace Collected;

/// <summary>
/// A program that knows what its collector did. One command a line, one line of answer each:
///
///   make MB              made MB                  that much is held, in arrays of 50 KB
///   drop                 dropped                  and is no longer
///   collect GENERATION   collected USED           blocking; then the bytes in use
///   counts               counts GEN0 GEN1 GEN2 PAUSE_MS
///   exit
/// </summary>
internal static class Program
{
    private const int ArrayBytes = 50_000;
    private static readonly List<byte[]> Held = [];

    private static void Main()
    {
        Console.WriteLine($"started {Environment.ProcessId}");
        while (Console.ReadLine() is { } line && line != "exit")
        {
            Console.WriteLine(Answer(line.Split(' ')));
        }
    }

    private static string Answer(string[] words)
    {
        switch (words)
        {
            case ["make", var megabytes]:
                for (long bytes = 0; bytes < long.Parse(megabytes) << 20; bytes += ArrayBytes)
                {
                    Held.Add(new byte[ArrayBytes]);
                }
                return $"made {megabytes}";
            case ["drop"]:
                Held.Clear();
                return "dropped";
            case ["collect", var generation]:
                GC.Collect(int.Parse(generation), GCCollectionMode.Forced, blocking: true, compacting: true);
                return $"collected {GC.GetTotalMemory(false)}";
            case ["counts"]:
                return $"counts {GC.CollectionCount(0)} {GC.CollectionCount(1)} {GC.CollectionCount(2)} {GC.GetTotalPauseDuration().TotalMilliseconds:F3}";
            default:
                return "what?";
        }
    }
}
