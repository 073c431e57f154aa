using System.Runtime.CompilerServices;

namespace HeapMaker;

/// <summary>Threads at a known depth of recursion: each frame has an object that nothing but its own local holds.</summary>
internal static class DeepThreads
{
    private const int MostBusy = 16;  // hundreds would leave nobody else a processor for minutes

    private static readonly List<Thread> Threads = [];
    private static volatile bool _over;
    private static object? _last;

    private enum Stays
    {
        Asleep,
        Busy,
        InHandler,
    }

    public static string Begin(int threads, int depth, bool inHandlers = false)
    {
        _over = false;
        var atTheBottom = new CountdownEvent(threads);  // each of them waits for it, the last one later than we
        for (int i = 0; i < threads; i++)
        {
            Stays how = inHandlers ? Stays.InHandler : i < 2 * MostBusy && i % 2 == 1 ? Stays.Busy : Stays.Asleep;
            var thread = new Thread(() => GoDeeper(depth, how, atTheBottom)) { Name = $"deep {i}", IsBackground = true };
            thread.Start();
            Threads.Add(thread);
        }
        atTheBottom.Wait();
        return $"deep {threads} {depth}";
    }

    public static string End()
    {
        _over = true;
        Threads.ForEach(thread => thread.Join());
        Threads.Clear();
        return "deep off";
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int GoDeeper(int depth, Stays how, CountdownEvent atTheBottom)
    {
        var held = new InFrame(depth);
        int below = depth > 1 ? GoDeeper(depth - 1, how, atTheBottom) : Stay(how, atTheBottom);
        GC.KeepAlive(held);  // else it could be made on the stack
        return below + held.Depth;
    }

    /// <summary>Some run and are stopped wherever they are, the others wait in the runtime; or all of them in a signal handler.</summary>
    private static int Stay(Stays how, CountdownEvent atTheBottom)
    {
        atTheBottom.Signal();
        atTheBottom.Wait();
        int made = 0;  // wraps around in minutes
        while (!_over)
        {
            if (how == Stays.InHandler)
            {
                AlternateStack.Wait();
            }
            else if (how == Stays.Busy)
            {
                _last = new byte[32 + (made++ & 63)];
            }
            else
            {
                Thread.Sleep(1);
            }
        }
        return made;
    }

    private sealed class InFrame(int depth)
    {
        public int Depth { get; } = depth;
    }
}
