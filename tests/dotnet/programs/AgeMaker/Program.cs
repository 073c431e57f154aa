namespace AgeMaker;

/// <summary>
/// Objects whose age is known: how many collections have come since they were made, as the runtime counts them.
/// One command a line, one line of answer each; `ages` alone answers with more.
///
///   make N COUNT       made N             that many objects of class C{N}, no collection among them; N is 0 to 9
///   large COUNT        made large         that many arrays that are large objects, which whole collections alone look at: they are as old as
///                                         the first `collect 2`
///   thin N             thinned N          every other one is garbage
///   collect GENERATION [compact]          collected GENERATION; blocking
///   background         background True    a collection of everything in the background, to its end; False: it was none
///   garbage THREADS    garbage THREADS    that many threads allocate; 0 ends it
///   ages               age AGE COUNT CLASS…, then: ages of COLLECTIONS, N of the whole heap
///   exit
/// </summary>
internal static class Program
{
    private static readonly Cohort[] Cohorts =
    [
        new(() => new C0()), new(() => new C1()), new(() => new C2()), new(() => new C3()), new(() => new C4()),
        new(() => new C5()), new(() => new C6()), new(() => new C7()), new(() => new C8()), new(() => new C9()),
    ];
    private static readonly Cohort Large = new(() => new Part[4_000]);
    private static Garbage s_garbage = new(0);

    private static void Main()
    {
        Console.WriteLine($"started {Environment.ProcessId}");
        while (Console.ReadLine() is { } line && line != "exit")
        {
            Console.WriteLine(Answer(line.Split(' ', StringSplitOptions.RemoveEmptyEntries)));
        }
        s_garbage.Stop();
    }

    private static string Answer(string[] words)
    {
        switch (words)
        {
            case ["make", var which, var count]:
                Cohorts[int.Parse(which)].Make(int.Parse(count));
                return $"made {which}";
            case ["large", var count]:
                Large.Make(int.Parse(count));
                return "made large";
            case ["thin", var which]:
                Cohorts[int.Parse(which)].DropEveryOther();
                return $"thinned {which}";
            case ["collect", var generation]:
                return Collect(int.Parse(generation), false);
            case ["collect", var generation, "compact"]:
                return Collect(int.Parse(generation), true);
            case ["background"]:
                return $"background {CollectInBackground()}";
            case ["garbage", var threads]:
                s_garbage.Stop();
                s_garbage = new Garbage(int.Parse(threads));
                return $"garbage {threads}";
            case ["ages"]:
                return Ages();
            default:
                return "what?";
        }
    }

    private static string Collect(int generation, bool compacting)
    {
        GC.Collect(generation, GCCollectionMode.Forced, blocking: true, compacting);
        if (generation == GC.MaxGeneration && !Large.Met)
        {
            Large.MeetCollection();
        }
        return $"collected {generation}";
    }

    private static bool CollectInBackground()
    {
        long before = GC.GetGCMemoryInfo(GCKind.Background).Index;
        GC.Collect(2, GCCollectionMode.Forced, blocking: false);
        for (int i = 0; i < 200 && GC.GetGCMemoryInfo(GCKind.Background).Index == before; i++)
        {
            Thread.Sleep(10);
        }
        return GC.GetGCMemoryInfo(GCKind.Background).Index != before;
    }

    private static string Ages()
    {
        int now = GC.CollectionCount(0);
        foreach (Cohort cohort in Cohorts.Append(Large).Where(cohort => cohort.Count != 0))
        {
            Console.WriteLine($"age {now - cohort.Born} {cohort.Count} {cohort.ClassName}");
        }
        return $"ages of {now}, {GC.CollectionCount(GC.MaxGeneration)} of the whole heap";
    }
}
