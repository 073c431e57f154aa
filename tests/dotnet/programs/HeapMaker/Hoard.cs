namespace HeapMaker;

/// <summary>What an application keeps by mistake. It goes on with a full heap, as one does that catches everything.</summary>
internal static class Hoard
{
    private const int ParcelBytes = 64_000;  // below what goes to the large objects

    private const int Spared = 128;  // room for the next commands: with 32 .NET 8 dies of them, agent or not

    private static readonly List<Parcel> Parcels = new(100_000);

    public static string Add(int megabytes)
    {
        for (long left = (long)megabytes << 20; left > 0; left -= ParcelBytes)
        {
            Parcels.Add(new Parcel());
        }
        return $"hoarded {Parcels.Count}";
    }

    /// <summary>An OutOfMemoryException is on its way that ends the process.</summary>
    public static bool Ends { get; private set; }

    public static string AddBeyond(bool elsewhere)
    {
        Hardship.RequireLimit();
        Ends = true;
        if (!elsewhere)
        {
            AddForEver();
        }
        var thread = new Thread(AddForEver);
        thread.Start();
        thread.Join();
        return "never";
    }

    private static void AddForEver()
    {
        while (true)
        {
            Parcels.Add(new Parcel());
        }
    }

    public static string AddUntilFull()
    {
        Hardship.RequireLimit();
        try
        {
            while (true)
            {
                Parcels.Add(new Parcel());
            }
        }
        catch (OutOfMemoryException)
        {
            Parcels.RemoveRange(Parcels.Count - Spared, Spared);
            return "hoard full";
        }
    }

    public static string Drop()
    {
        Parcels.Clear();
        return "hoard dropped";
    }

    private sealed class Parcel
    {
        public byte[] Content { get; } = new byte[ParcelBytes];
    }
}
