using System.Runtime.InteropServices;

namespace ZooKinds;

/// <summary>Threads that wait deep, and one that stops late.</summary>
internal static class Threads
{
    private const int StackBytes = 64 << 20;
    private const nint NativeBytes = 1_500_000_000;

    public static void Deepen(int threads, int frames)
    {
        using var ready = new CountdownEvent(threads);
        for (int i = 0; i < threads; i++)
        {
            new Thread(() => Down(frames, new byte[100], ready), StackBytes) { Name = $"deep-{i}", IsBackground = true }.Start();
        }
        ready.Wait();
    }

    private static int Down(int depth, object held, CountdownEvent ready)
    {
        object[] own = new object[2];
        if (depth == 0)
        {
            ready.Signal();
            Thread.Sleep(Timeout.Infinite);
        }
        int below = depth > 0 ? Down(depth - 1, own, ready) : 0;
        GC.KeepAlive(held);
        return below + own.Length;
    }

    /// <summary>A native call without a transition takes some 100 ms at a time: until it is over the runtime cannot stop its thread.</summary>
    public static unsafe void StopLate()
    {
        nint memory = (nint)NativeMemory.Alloc((nuint)NativeBytes);
        new Thread(() =>
        {
            while (true)
            {
                Native.memset(memory, 1, NativeBytes);
            }
        }) { IsBackground = true, Name = "late" }.Start();
    }

    private static class Native
    {
        [DllImport("libc"), SuppressGCTransition]
        public static extern nint memset(nint memory, int value, nint bytes);
    }
}
