namespace HeapMaker.Kinds;

/// <summary>Lambdas that captured something: a delegate and a class of the compiler's each.</summary>
internal sealed class Closures : IKind
{
    private delegate int Question(int offset);

    private readonly List<Question> _all = [];

    public string Name => "closures";

    public void Make(int count)
    {
        for (int i = 0; i < count; i++)
        {
            var captured = new Captured(i);
            _all.Add(offset => captured.Number + offset);
        }
    }

    public IEnumerable<(Type, long)> Expected()
    {
        return _all.Count == 0 ? [] : [(typeof(Question), _all.Count), (typeof(Captured), _all.Count), (_all[0].Target!.GetType(), _all.Count)];
    }

    public bool Sound()
    {
        int first = _all.Count == 0 ? 0 : _all[0](0);
        return first == 0 && _all.TrueForAll(question => question(1) > 0);
    }

    public void Drop() => _all.Clear();

    private sealed class Captured(int number)
    {
        public int Number { get; } = number;
    }
}
