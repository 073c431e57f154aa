using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading.Channels;

namespace Piles;

/// <summary>
/// Piles up Items where a program keeps them that was not written for our tests, or stops late, or stands deep in a recursion.
///
///   Piles KIND COUNT     thread-static, thread-local, queue, channel: COUNT Items, in four threads or in one container
///   Piles slow BYTES     a thread that the runtime waits for: native calls without a transition, BYTES written in each
///   Piles deep FRAMES    a thread that waits so deep, with an object for each frame
///
/// Says `ready`. Answers each line with the longest time for which a sleeping thread stood still since the line before: `gap MILLISECONDS`.
/// </summary>
internal static class Program
{
    private const int Threads = 4;

    private static void Main(string[] words)
    {
        Gap.Begin();
        int count = int.Parse(words[1]);
        switch (words[0])
        {
            case "thread-static":
                InThreads(() => Holder.OfThread = Items(count / Threads));
                break;
            case "thread-local":
                InThreads(() => Holder.Local.Value = Items(count / Threads));
                break;
            case "queue":
                Items(count).ForEach(Holder.Queue.Enqueue);
                break;
            case "channel":
                Items(count).ForEach(item => Holder.Channel.Writer.TryWrite(item));
                break;
            case "slow":
                SlowToStop.Begin(count);
                break;
            case "deep":
                Deep.Begin(count);
                break;
        }
        GC.Collect();
        Console.WriteLine("ready");
        while (Console.ReadLine() is not null)
        {
            Console.WriteLine($"gap {Gap.LongestMilliseconds():F1}");
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static List<Item> Items(int count) => Enumerable.Range(0, count).Select(_ => new Item()).ToList();

    private static void InThreads(Action keep)
    {
        using var kept = new CountdownEvent(Threads);
        for (int i = 0; i < Threads; i++)
        {
            var thread = new Thread(() => { keep(); kept.Signal(); Thread.Sleep(Timeout.Infinite); }) { Name = $"worker-{i}", IsBackground = true };
            thread.Start();
        }
        kept.Wait();
    }
}

internal sealed class Item
{
    public byte[] Body { get; } = new byte[2000];
}

internal static class Holder
{
    public static readonly ConcurrentQueue<Item> Queue = new();
    public static readonly Channel<Item> Channel = System.Threading.Channels.Channel.CreateUnbounded<Item>();
    public static readonly ThreadLocal<List<Item>> Local = new();

    [ThreadStatic]
    public static List<Item>? OfThread;
}

/// <summary>A thread that sleeps a millisecond at a time, and for how long it could not.</summary>
internal static class Gap
{
    private static long _longest;

    public static void Begin()
    {
        var thread = new Thread(() =>
        {
            while (true)
            {
                long last = System.Diagnostics.Stopwatch.GetTimestamp();
                Thread.Sleep(1);
                long gap = System.Diagnostics.Stopwatch.GetTimestamp() - last;
                if (gap > Interlocked.Read(ref _longest))
                {
                    Interlocked.Exchange(ref _longest, gap);
                }
            }
        }) { IsBackground = true, Priority = ThreadPriority.Highest };
        thread.Start();
    }

    public static double LongestMilliseconds() => Interlocked.Exchange(ref _longest, 0) * 1000.0 / System.Diagnostics.Stopwatch.Frequency;
}

internal static unsafe class SlowToStop
{
    public static void Begin(int bytes)
    {
        nint memory = (nint)NativeMemory.Alloc((nuint)bytes);
        new Thread(() => { while (true) { Fill(memory, 1, bytes); } }) { IsBackground = true }.Start();
    }

    [DllImport("libc", EntryPoint = "memset"), SuppressGCTransition]
    private static extern nint Fill(nint to, int value, nint bytes);
}

internal static class Deep
{
    private const int StackBytes = 1 << 30;

    public static void Begin(int frames)
    {
        using var there = new ManualResetEventSlim();
        new Thread(() => Go(frames, there), StackBytes) { Name = "deep", IsBackground = true }.Start();
        there.Wait();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Go(int frames, ManualResetEventSlim there)
    {
        object held = new byte[16];
        int below = frames > 1 ? Go(frames - 1, there) : Stay(there);
        GC.KeepAlive(held);
        return below + 1;
    }

    private static int Stay(ManualResetEventSlim there)
    {
        there.Set();
        Thread.Sleep(Timeout.Infinite);
        return 0;
    }
}
