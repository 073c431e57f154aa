using System.Runtime.CompilerServices;

namespace ZooKinds;

/// <summary>The finalizer thread is stuck in the first object; all others wait in its queue.</summary>
internal static class Finalizer
{
    private sealed class Connection
    {
        public readonly byte[] Buffer = new byte[2_000];

        ~Connection()
        {
            Entered.Set();
            Never.Wait();
        }
    }

    private static readonly ManualResetEventSlim Entered = new();
    private static readonly ManualResetEventSlim Never = new();

    public static void Make(int count)
    {
        Create(count);
        GC.Collect();
        Entered.Wait();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Create(int count)
    {
        for (int i = 0; i < count; i++)
        {
            _ = new Connection();
        }
    }
}
