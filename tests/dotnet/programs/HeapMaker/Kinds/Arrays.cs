namespace HeapMaker.Kinds;

/// <summary>Arrays of all shapes: jagged, of several dimensions, of structs with references inside, of pointers, empty, large.</summary>
internal sealed unsafe class Arrays : IKind
{
    private const int LargeElements = 30_000;

    private readonly List<Array> _all = [];
    private int _count;
    private int _larges;

    private enum Cell : byte
    {
        Empty,
        Full,
    }

    public string Name => "arrays";

    public void Make(int count)
    {
        for (int i = 0; i < count; i++)
        {
            var leaf = new Leaf();
            _all.Add(new Cell[i % 40]);
            _all.Add(new Cell[2, 3 + i % 3]);
            _all.Add(new Cell[][] { new Cell[i % 7], null! });
            _all.Add(new Cell[][,] { new Cell[1, 1] });
            _all.Add(new Cell*[3]);
            _all.Add(new Cell?[4]);
            _all.Add(new Leaf?[2, 1, 2] { { { leaf, null } }, { { null, leaf } } });
            _all.Add(new Slot[] { default, new Slot { Before = i, Held = leaf, Between = i, Tail = leaf }, default });
            _all.Add(new (Cell, Leaf)[] { (Cell.Full, leaf) });
        }
        var large = new Leaf[LargeElements];
        large[^1] = new Leaf();
        _all.Add(large);
        _count += count;
        _larges++;
    }

    public IEnumerable<(Type, long)> Expected()
    {
        return [(typeof(Cell[]), 2L * _count), (typeof(Cell[,]), 2L * _count), (typeof(Cell[][]), _count), (typeof(Cell[][,]), _count),
                (typeof(Cell*[]), _count), (typeof(Cell?[]), _count), (typeof(Leaf[,,]), _count), (typeof(Slot[]), _count),
                (typeof((Cell, Leaf)[]), _count), (typeof(Leaf[]), _larges), (typeof(Leaf), _count + _larges)];
    }

    public bool Sound() => _all.OfType<Slot[]>().All(slots => slots[1].Held == slots[1].Tail && slots[1].Held != null);

    public void Drop()
    {
        _all.Clear();
        _count = 0;
        _larges = 0;
    }

    private sealed class Leaf;

    /// <summary>References that are not neighbours, so that the layout of an array of these repeats.</summary>
    private struct Slot
    {
        public long Before;
        public Leaf? Held;
        public int Between;
        public Leaf? Tail;
    }
}
