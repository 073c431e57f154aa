namespace AccountLoad;

/// <summary>What a perfect account book would say.</summary>
internal static class Expectations
{
    private static readonly List<string> s_lines = [];

    /// <summary>Where the last object goes, so that none is thought away.</summary>
    public static object? Sink;

    public static void Add(string account, string type, long objects, long bytes, long live = 0) =>
        s_lines.Add(FormattableString.Invariant($"expect {account} {type} {objects} {bytes} {live}"));

    public static void Print() => s_lines.ForEach(Console.WriteLine);
}
