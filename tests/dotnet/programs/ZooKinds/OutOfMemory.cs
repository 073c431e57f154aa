namespace ZooKinds;

/// <summary>Ends with an OutOfMemoryException that nobody catches.</summary>
internal static class OutOfMemory
{
    private static readonly List<byte[]> Kept = [];

    public static void Make()
    {
        Console.WriteLine("READY");
        while (true)
        {
            Kept.Add(new byte[2_000]);
        }
    }
}
