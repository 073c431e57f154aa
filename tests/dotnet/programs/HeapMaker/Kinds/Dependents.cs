using System.Runtime;
using System.Runtime.CompilerServices;

namespace HeapMaker.Kinds;

/// <summary>
/// Held by nothing but a dependent handle, as long as its key lives: in a ConditionalWeakTable, and in handles of our own.
/// Chains too: the value of one key is the next key.
/// </summary>
internal sealed class Dependents : IKind
{
    private readonly ConditionalWeakTable<Key, Value> _table = new();
    private readonly List<DependentHandle> _handles = [];
    private readonly List<Key> _keys = [];

    public string Name => "dependents";

    public void Make(int count)
    {
        for (int i = 0; i < count; i++)
        {
            var key = new Key();
            _keys.Add(key);
            var next = new Value(new Key());
            _table.Add(key, next);
            _table.Add(next.Next, new Value(new Key()));
            _handles.Add(new DependentHandle(key, new Payload()));
            ForgetKey();
        }
    }

    /// <summary>Nothing holds this key: neither it nor its value is there in a quiet process.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void ForgetKey() => _table.Add(new Key(), new Value(new Key()));

    public IEnumerable<(Type, long)> Expected()
    {
        long count = _keys.Count;
        return [(typeof(Key), 3 * count), (typeof(Value), 2 * count), (typeof(Payload), count)];
    }

    public bool Sound()
    {
        return _keys.TrueForAll(key => _table.TryGetValue(key, out Value? value) && _table.TryGetValue(value.Next, out _))
               && _handles.TrueForAll(handle => handle.Dependent is Payload);
    }

    public void Drop()
    {
        _handles.ForEach(handle => handle.Dispose());
        _handles.Clear();
        _keys.Clear();
    }

    private sealed class Key;

    private sealed class Value(Key next)
    {
        public Key Next { get; } = next;
    }

    private sealed class Payload;
}
