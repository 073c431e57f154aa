using System.Runtime.CompilerServices;

namespace HeapMaker;

/// <summary>Threads whose frames are full of words that were references once: what they led to is dead, moved or overwritten.</summary>
internal static class StaleWords
{
    private const int FreshAtATime = 100;

    private static readonly List<Thread> Threads = [];
    private static volatile bool _over;

    public static string Begin(int threads, int words)
    {
        _over = false;
        using var full = new CountdownEvent(threads);
        for (int i = 0; i < threads; i++)
        {
            var thread = new Thread(() => Remember(words, full)) { Name = $"stale {i}", IsBackground = true };
            thread.Start();
            Threads.Add(thread);
        }
        full.Wait();
        return $"stale {threads} {words}";
    }

    public static string End()
    {
        _over = true;
        Threads.ForEach(thread => thread.Join());
        Threads.Clear();
        return "stale off";
    }

    /// <summary>To the collector these words are numbers.</summary>
    private static void Remember(int words, CountdownEvent full)
    {
        Span<nint> remembered = stackalloc nint[words];
        for (int i = 0; i < words; i++)
        {
            remembered[i] = AddressOfGarbage(i);
        }
        full.Signal();
        for (int i = 0; !_over; i++)
        {
            remembered[i % words] = AddressOfGarbage(i);
            if (i % FreshAtATime == 0)
            {
                Thread.Sleep(1);
            }
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static nint AddressOfGarbage(int number)
    {
        object garbage = new Dead(new Dead(null, number % 32), number % 64);
        return Unsafe.As<object, nint>(ref garbage);
    }

    private sealed class Dead(Dead? other, int bytes)
    {
        public Dead? Other { get; } = other;

        public byte[] Bytes { get; } = new byte[bytes];
    }
}
