namespace HeapMaker.Kinds;

/// <summary>Plain, derived, nested and record classes in a list; a chain; references to themselves and to each other.</summary>
internal sealed class Instances : IKind
{
    private readonly List<Base> _all = [];
    private Link? _chain;
    private int _links;

    public string Name => "instances";

    public void Make(int count)
    {
        for (int i = 0; i < count; i++)
        {
            var point = new Point(i, $"point {i}");
            _all.Add(new Derived(point, new Derived.Nested(i)));
            _chain = new Link(_chain);
        }
        _links += count;
    }

    public IEnumerable<(Type, long)> Expected()
    {
        return [(typeof(Derived), _all.Count), (typeof(Derived.Nested), _all.Count), (typeof(Point), _all.Count), (typeof(Link), _links)];
    }

    public bool Sound()
    {
        int length = 0;
        for (Link? link = _chain; link != null; link = link.Next)
        {
            length++;
        }
        return length == _links && _all.TrueForAll(one => one.Self == one && ((Derived)one).InDerived.Number == one.InBase.X);
    }

    public void Drop()
    {
        _all.Clear();
        _chain = null;
        _links = 0;
    }

    private record Point(int X, string Label);

    private class Base
    {
        public Base(Point point)
        {
            InBase = point;
            Self = this;
        }

        public Point InBase { get; }

        public Base Self { get; }
    }

    private sealed class Derived(Point point, Derived.Nested nested) : Base(point)
    {
        public Nested InDerived { get; } = nested;

        public sealed class Nested(int number)
        {
            public int Number { get; } = number;
        }
    }

    private sealed class Link(Link? next)
    {
        public Link? Next { get; } = next;
    }
}
