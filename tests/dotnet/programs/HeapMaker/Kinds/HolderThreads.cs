using System.Runtime.CompilerServices;

namespace HeapMaker.Kinds;

/// <summary>Threads with names, at rest: each holds an object by a local of a frame below others, and one by a thread static.</summary>
internal sealed class HolderThreads : IKind
{
    private const int MostThreads = 64;
    private const int Depth = 5;

    private readonly List<Thread> _threads = [];
    private ManualResetEventSlim _end = new();

    [ThreadStatic]
    private static OfThread? ofThread;

    public string Name => "threads";

    public void Make(int count)
    {
        using var atRest = new CountdownEvent(Math.Min(count, MostThreads));
        for (int i = 0; i < Math.Min(count, MostThreads); i++)
        {
            ManualResetEventSlim end = _end;
            var thread = new Thread(() => Hold(new OfFrame(), atRest, end)) { Name = $"holder {_threads.Count}", IsBackground = true };
            thread.Start();
            _threads.Add(thread);
        }
        atRest.Wait();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Hold(OfFrame local, CountdownEvent atRest, ManualResetEventSlim end)
    {
        ofThread = new OfThread();
        GoDeeper(Depth, atRest, end);
        GC.KeepAlive(local);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int GoDeeper(int depth, CountdownEvent atRest, ManualResetEventSlim end)
    {
        if (depth > 0)
        {
            return GoDeeper(depth - 1, atRest, end) + 1;
        }
        atRest.Signal();
        end.Wait();
        return 0;
    }

    public IEnumerable<(Type, long)> Expected() => [(typeof(OfFrame), _threads.Count), (typeof(OfThread), _threads.Count)];

    public bool Sound() => _threads.TrueForAll(thread => thread.IsAlive);

    public void Drop()
    {
        _end.Set();
        _threads.ForEach(thread => thread.Join());
        _threads.Clear();
        _end = new ManualResetEventSlim();
    }

    private sealed class OfFrame;

    private sealed class OfThread;
}
