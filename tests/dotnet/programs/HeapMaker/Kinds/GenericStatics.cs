namespace HeapMaker.Kinds;

/// <summary>A static field of a generic class: one for each instantiation, and one for each thread if it is a thread static.</summary>
internal sealed class GenericStatics : IKind
{
    public string Name => "generic-statics";

    public void Make(int count)
    {
        for (int i = 0; i < count; i++)
        {
            Registry<string>.All.Add(new Held<string>());
            Registry<int>.All.Add(new Held<int>());
            Registry<List<int>>.All.Add(new Held<List<int>>());
        }
        Registry<string>.OfThread = new Held<byte>();
        Registry<int>.OfThread = new Held<byte>();
    }

    public IEnumerable<(Type, long)> Expected()
    {
        long perThread = (Registry<string>.OfThread == null ? 0 : 1) + (Registry<int>.OfThread == null ? 0 : 1);
        return [(typeof(Held<string>), Registry<string>.All.Count), (typeof(Held<int>), Registry<int>.All.Count),
                (typeof(Held<List<int>>), Registry<List<int>>.All.Count), (typeof(Held<byte>), perThread)];
    }

    public bool Sound() => Registry<string>.All.Count == Registry<int>.All.Count;

    public void Drop()
    {
        Registry<string>.All.Clear();
        Registry<int>.All.Clear();
        Registry<List<int>>.All.Clear();
        Registry<string>.OfThread = null;
        Registry<int>.OfThread = null;
    }

    private sealed class Held<T>;

    private static class Registry<T>
    {
        public static readonly List<Held<T>> All = [];

        [ThreadStatic]
        public static Held<byte>? OfThread;
    }
}
