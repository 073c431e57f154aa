namespace ZooKinds;

/// <summary>One heap of tests/zoo: KIND COUNT. Says READY, then answers "gap" with the longest time that it stood still since the last answer.</summary>
internal static class Program
{
    private static void Main(string[] words)
    {
        int count = words.Length > 1 ? int.Parse(words[1]) : 4_000;
        switch (words[0])
        {
            case "finalizer": Finalizer.Make(count); break;
            case "oom": OutOfMemory.Make(); break;
            case "queue": Holders.FillQueue(count); break;
            case "two-holders": Holders.FillTwo(count); break;
            case "one-odd": Holders.FillOneOdd(count); break;
            case "thread-static": ThreadStatics.Make(count); break;
            case "deep": Threads.Deepen(count, int.Parse(words[2])); break;
            case "slow-to-stop": Threads.StopLate(); break;
            case "contexts": Contexts.Make(count, int.Parse(words[2])); break;
            case "filled-contexts": Contexts.Fill(count, int.Parse(words[2])); break;
            case "interned": Holders.Intern(count); break;
            case "handles": Holders.FillHandles(count); break;
            default: throw new ArgumentException($"unknown kind {words[0]}");
        }
        Gap.Serve();
    }
}
