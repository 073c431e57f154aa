namespace HeapMaker.Kinds;

/// <summary>
/// What the runtime may put into the heap that is never collected: literals, types, statics without references. Frozen or not,
/// each is there once, and what refers to it can be named.
/// </summary>
internal sealed class Frozen : IKind
{
    private static readonly object Alone = new WithoutReferences();

    private readonly List<Holder> _all = [];

    public string Name => "frozen";

    public void Make(int count)
    {
        for (int i = 0; i < count; i++)
        {
            _all.Add(new Holder("a literal that stands in the frozen heap", typeof(NeverMade), Alone, ""));
        }
    }

    public IEnumerable<(Type, long)> Expected()
    {
        return [(typeof(Holder), _all.Count), (typeof(WithoutReferences), _all.Count == 0 ? 0 : 1), (typeof(NeverMade), 0)];
    }

    public bool Sound() => _all.TrueForAll(holder => ReferenceEquals(holder.Literal, _all[0].Literal) && holder.Empty.Length == 0);

    public void Drop() => _all.Clear();

    private sealed record Holder(string Literal, Type Type, object Alone, string Empty);

    private sealed class WithoutReferences;

    private sealed class NeverMade;
}
