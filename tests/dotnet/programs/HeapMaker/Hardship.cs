namespace HeapMaker;

/// <summary>A heap without room. Start with DOTNET_GCHeapHardLimit, or the machine's memory is the limit.</summary>
internal static class Hardship
{
    private const int BlockBytes = 80_000;  // just below what goes to the large objects

    public static string Fill()
    {
        RequireLimit();
        var hoard = new List<byte[]>();
        try
        {
            while (true)
            {
                hoard.Add(new byte[BlockBytes]);
            }
        }
        catch (OutOfMemoryException)
        {
            int count = hoard.Count;
            hoard.Clear();
            return $"full {count}";
        }
    }

    public static string Huge()
    {
        RequireLimit();
        try
        {
            return $"got {GC.AllocateUninitializedArray<byte>(Array.MaxLength).Length}";
        }
        catch (OutOfMemoryException)
        {
            return "refused";
        }
    }

    public static string Throw(int count)
    {
        for (int i = 0; i < count; i++)
        {
            try
            {
                throw new InvalidOperationException();
            }
            catch (InvalidOperationException)
            {
                continue;
            }
        }
        return $"threw {count}";
    }

    public static void RequireLimit()
    {
        if (GC.GetGCMemoryInfo().TotalAvailableMemoryBytes > 1L << 30)
        {
            throw new InvalidOperationException("set DOTNET_GCHeapHardLimit to at most 1 GB");
        }
    }
}
