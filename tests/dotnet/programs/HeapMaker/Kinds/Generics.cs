namespace HeapMaker.Kinds;

/// <summary>Instantiations that share code and yet are different classes; generics inside generics.</summary>
internal sealed class Generics : IKind
{
    private readonly List<Box<object>> _all = [];
    private readonly Dictionary<Key, List<Leaf>> _lists = [];

    public string Name => "generics";

    public void Make(int count)
    {
        for (int i = 0; i < count; i++)
        {
            var leaf = new Leaf(i);
            _all.Add(new Box<object>(leaf));
            _all.Add(new Box<object>(new Box<Leaf>(leaf)));
            _all.Add(new Box<object>(new Box<int>(i)));
            _all.Add(new Box<object>(new Box<(int, Leaf)>((i, leaf))));
            _all.Add(new Box<object>(new Box<Leaf>.Lid<long>(i)));
            _lists.Add(new Key(_lists.Count), [leaf]);
        }
    }

    public IEnumerable<(Type, long)> Expected()
    {
        long count = _lists.Count;
        return [(typeof(Leaf), count), (typeof(Key), count), (typeof(List<Leaf>), count), (typeof(Leaf[]), count),
                (typeof(Box<object>), 5 * count), (typeof(Box<Leaf>), count), (typeof(Box<int>), count),
                (typeof(Box<(int, Leaf)>), count), (typeof(Box<Leaf>.Lid<long>), count), (typeof(Dictionary<Key, List<Leaf>>), 1)];
    }

    public bool Sound() => _lists.All(pair => pair.Value.Count == 1) && _all.TrueForAll(box => box.Content != null);

    public void Drop()
    {
        _all.Clear();
        _lists.Clear();
    }

    private sealed record Key(int Number);

    private sealed class Leaf(int number)
    {
        public int Number { get; } = number;
    }

    private sealed class Box<T>(T content)
    {
        public T Content { get; } = content;

        public sealed class Lid<TSize>(TSize size)
        {
            public TSize Size { get; } = size;
        }
    }
}
