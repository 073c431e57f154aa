namespace HeapMaker.Kinds;

/// <summary>Boxed structs, enumerations and tuples; structs with references inside objects; nullables.</summary>
internal sealed class Values : IKind
{
    private readonly List<object> _all = [];
    private int _count;

    private enum Colour
    {
        Red,
        Green,
    }

    public string Name => "values";

    public void Make(int count)
    {
        for (int i = 0; i < count; i++)
        {
            var leaf = new Leaf();
            _all.Add(new Plain(i, i));
            _all.Add((Colour)(i % 2));
            _all.Add((i, leaf));
            _all.Add((Colour.Red, (leaf, leaf)));
            _all.Add(new Holding(leaf, i));
            _all.Add(new Deep { Outer = new Outer { Before = i, Inner = new Holding(leaf, i) }, Perhaps = new Plain(i, i) });
        }
        _count += count;
    }

    public IEnumerable<(Type, long)> Expected()
    {
        return [(typeof(Leaf), _count), (typeof(Plain), _count), (typeof(Colour), _count), (typeof((int, Leaf)), _count),
                (typeof((Colour, (Leaf, Leaf))), _count), (typeof(Holding), _count), (typeof(Deep), _count)];
    }

    public bool Sound() => _all.OfType<Deep>().All(deep => deep.Outer.Inner.Number == deep.Perhaps?.X);

    public void Drop()
    {
        _all.Clear();
        _count = 0;
    }

    private sealed class Leaf;

    private readonly record struct Plain(int X, int Y);

    private readonly record struct Holding(Leaf Held, int Number);

    private struct Outer
    {
        public long Before;
        public Holding Inner;
    }

    private sealed class Deep
    {
        public Outer Outer;
        public Plain? Perhaps;
    }
}
