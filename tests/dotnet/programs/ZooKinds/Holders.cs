using System.Collections.Concurrent;
using System.Runtime.InteropServices;

namespace ZooKinds;

/// <summary>Items in containers and roots of several kinds.</summary>
internal static class Holders
{
    private sealed class Connection
    {
        public readonly byte[] Buffer = new byte[500];

        ~Connection()
        {
            Entered.Set();
            Never.Wait();
        }
    }

    private static readonly ManualResetEventSlim Entered = new();
    private static readonly ManualResetEventSlim Never = new();
    private static readonly ConcurrentQueue<Item> Queue = new();
    private static readonly List<object> Items = [];
    private static readonly List<Connection> Connections = [];
    private static object? _one;

    public static void FillQueue(int count)
    {
        for (int i = 0; i < count; i++)
        {
            Queue.Enqueue(new Item());
        }
    }

    /// <summary>One list that two static fields hold, the second one at a distance.</summary>
    public static void FillTwo(int count)
    {
        var shared = new List<Item>();
        for (int i = 0; i < count; i++)
        {
            shared.Add(new Item());
        }
        _one = new object[] { new object[] { new object[] { shared } } };
        Items.Add(shared);
        GC.KeepAlive(_one);
    }

    /// <summary>Connections in a list, and one of their class that is being finalized.</summary>
    public static void FillOneOdd(int count)
    {
        for (int i = 0; i < count; i++)
        {
            Connections.Add(new Connection());
        }
        DropOne();
        GC.Collect();
        Entered.Wait();
    }

    private static void DropOne() => _ = new Connection();

    /// <summary>Strings that the runtime keeps in its table for good.</summary>
    public static void Intern(int count)
    {
        for (int i = 0; i < count; i++)
        {
            string.Intern($"order {i:D8} of a customer whose name is kept for good");
        }
    }

    public static void FillHandles(int count)
    {
        for (int i = 0; i < count; i++)
        {
            GCHandle.Alloc(new Item());
        }
    }
}
