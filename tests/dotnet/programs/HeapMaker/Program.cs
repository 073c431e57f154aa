using System.Runtime.InteropServices;
using HeapMaker.Kinds;

namespace HeapMaker;

/// <summary>
/// A process for tests: makes known numbers of objects of known classes, and does what else its standard input says.
/// One command a line, one line of answer each; `expect` alone answers with more.
///
///   make KIND|all COUNT  made KIND COUNT      objects of that kind, held as the kind holds them
///   drop KIND            dropped KIND         they are garbage
///   expect               expect COUNT CLASS…  then: expected N; exact numbers of instances in the quiet process
///   sound                sound True           every object is as it was made
///   quiet                ready                garbage collected, and nothing goes on until the next command
///   collect              collected            a blocking collection of everything
///   churn THREADS        churning THREADS     that many threads allocate and drop; 0 ends it
///   background on|off    background on        background collections, one after another
///   fill                 full COUNT           arrays until there is an OutOfMemoryException
///   huge                 refused              one array that is larger than the heap may be
///   hoard MEGABYTES      hoarded COUNT        so much more is kept; COUNT parcels by now
///   hoard full           hoard full           the same until there is an OutOfMemoryException, which is caught
///   hoard beyond [elsewhere]                  the same, and nobody catches it; elsewhere: on another thread
///   hoard nothing        hoard dropped        all of that is garbage
///   traffic leaks|steady|off  traffic off     sessions come all the time, and none of them, or all but the last ones, go
///   throw COUNT          threw COUNT          so many exceptions of another kind are thrown and caught
///   plugins on MS|off    plugins off N GONE   collectible load contexts come and go; N came, GONE of them have gone
///   deep THREADS DEPTH|off  deep off          that many threads so deep in a recursion; each frame alone holds a DeepThreads.InFrame
///   handlers THREADS DEPTH  deep THREADS DEPTH  the same in signal handlers, on the stacks for them; `deep off` ends it within 10 s
///   stale THREADS WORDS|off  stale off        that many threads, each with so many words on its stack that were references once
///   threads on|off       threads off N        threads begin and end all the time; N have ended
///   nogc MEGABYTES|end   region True          the application asks the collector to keep still; `nogc?` answers with the latency mode
///   graceful             graceful             a SIGTERM ends it as Environment.Exit does (a host of services does so)
///   exit STATUS
/// </summary>
internal static class Program
{
    private static readonly Dictionary<string, IKind> Kinds = AllKinds().ToDictionary(kind => kind.Name);

    private static IEnumerable<IKind> AllKinds()
    {
        return [new Instances(), new Generics(), new Arrays(), new Values(), new Closures(), new StateMachines(), new Statics(),
                new GenericStatics(), new Dependents(), new Handles(), new Finalizables(), new Frozen(), new Collectibles(),
                new HolderThreads()];
    }

    private static void Main()
    {
        AppDomain.CurrentDomain.ProcessExit += (_, _) => Kinds["finalizables"].Drop();  // the runtime waits for its finalizer thread
        Console.WriteLine($"started {Environment.ProcessId}");
        while (Console.ReadLine() is { } line)
        {
            Console.WriteLine(Answer(line.Split(' ', StringSplitOptions.RemoveEmptyEntries)));
        }
    }

    private static string Answer(string[] words)
    {
        try
        {
            return words switch
            {
                ["make", "all", var count] => MakeAll(int.Parse(count)),
                ["make", var kind, var count] => Make(kind, int.Parse(count)),
                ["drop", var kind] => Drop(kind),
                ["expect"] => Expect(),
                ["sound"] => $"sound {Kinds.Values.All(kind => kind.Sound())}",
                ["quiet"] => Quiet(),
                ["collect"] => Collect(),
                ["churn", var threads] => Churn.With(int.Parse(threads)),
                ["background", var on] => BackgroundCollections.Switch(on == "on"),
                ["fill"] => Hardship.Fill(),
                ["huge"] => Hardship.Huge(),
                ["hoard", "full"] => Hoard.AddUntilFull(),
                ["hoard", "beyond"] => Hoard.AddBeyond(elsewhere: false),
                ["hoard", "beyond", "elsewhere"] => Hoard.AddBeyond(elsewhere: true),
                ["hoard", "nothing"] => Hoard.Drop(),
                ["hoard", var megabytes] => Hoard.Add(int.Parse(megabytes)),
                ["traffic", "off"] => Traffic.End(),
                ["traffic", var manner] => Traffic.Begin(keepsAll: manner == "leaks"),
                ["throw", var count] => Hardship.Throw(int.Parse(count)),
                ["plugins", "on", var restMs] => PluginTraffic.Begin(int.Parse(restMs)),
                ["plugins", "off"] => PluginTraffic.End(),
                ["deep", "off"] => DeepThreads.End(),
                ["deep", var threads, var depth] => DeepThreads.Begin(int.Parse(threads), int.Parse(depth)),
                ["handlers", var threads, var depth] => DeepThreads.Begin(int.Parse(threads), int.Parse(depth), inHandlers: true),
                ["stale", "off"] => StaleWords.End(),
                ["stale", var threads, var each] => StaleWords.Begin(int.Parse(threads), int.Parse(each)),
                ["threads", "on"] => ThreadTraffic.Begin(),
                ["threads", "off"] => ThreadTraffic.End(),
                ["nogc?"] => NoGcRegion.Mode(),
                ["nogc", "end"] => NoGcRegion.End(),
                ["nogc", var megabytes] => NoGcRegion.Begin(int.Parse(megabytes)),
                ["graceful"] => Graceful(),
                ["exit", var status] => Exit(int.Parse(status)),
                _ => $"unknown {string.Join(' ', words)}",
            };
        }
        catch (Exception error) when (!Hoard.Ends)
        {
            return $"failed {error.GetType().Name}: {error.Message.ReplaceLineEndings(" ")}";
        }
    }

    private static string MakeAll(int count)
    {
        foreach (IKind kind in Kinds.Values)
        {
            kind.Make(count);
        }
        return $"made all {count}";
    }

    private static string Make(string kind, int count)
    {
        Kinds[kind].Make(count);
        return $"made {kind} {count}";
    }

    private static string Drop(string kind)
    {
        Kinds[kind].Drop();
        return $"dropped {kind}";
    }

    /// <summary>Classes that several kinds make are summed up.</summary>
    private static string Expect()
    {
        var sums = new SortedDictionary<string, long>(StringComparer.Ordinal);
        foreach (var (type, count) in Kinds.Values.SelectMany(kind => kind.Expected()))
        {
            string name = CSharpName.Of(type);
            sums[name] = sums.GetValueOrDefault(name) + count;
        }
        foreach (var (name, count) in sums)
        {
            Console.WriteLine($"expect {count} {name}");
        }
        return $"expected {sums.Count}";
    }

    /// <summary>Finalizers that can run have run; those that a kind holds back stay queued.</summary>
    private static string Quiet()
    {
        Churn.With(0);
        BackgroundCollections.Switch(false);
        Collect();
        if (!Finalizables.HeldBack)
        {
            GC.WaitForPendingFinalizers();
        }
        Collect();
        return "ready";
    }

    private static string Collect()
    {
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true, compacting: true);
        return "collected";
    }

    private static PosixSignalRegistration? termination;

    private static string Graceful()
    {
        termination = PosixSignalRegistration.Create(PosixSignal.SIGTERM, context =>
        {
            context.Cancel = true;
            ThreadPool.QueueUserWorkItem(_ => Environment.Exit(143));
        });
        return "graceful";
    }

    private static string Exit(int status)
    {
        Environment.Exit(status);
        return "";
    }
}
