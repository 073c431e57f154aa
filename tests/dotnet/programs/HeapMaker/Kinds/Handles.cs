using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace HeapMaker.Kinds;

/// <summary>GC handles of every kind that C# can make; the weak ones hold nothing.</summary>
internal sealed class Handles : IKind
{
    private const int PinnedElements = 8;

    private readonly List<GCHandle> _holding = [];
    private readonly List<GCHandle> _weak = [];
    private readonly List<HeldElsewhere> _elsewhere = [];

    public string Name => "handles";

    public void Make(int count)
    {
        for (int i = 0; i < count; i++)
        {
            _holding.Add(GCHandle.Alloc(new ByNormal(), GCHandleType.Normal));
            _holding.Add(GCHandle.Alloc(new ByPinned[PinnedElements], GCHandleType.Pinned));
            Forget(GCHandleType.Weak);
            Forget(GCHandleType.WeakTrackResurrection);
            _elsewhere.Add(new HeldElsewhere());
            _weak.Add(GCHandle.Alloc(_elsewhere[^1], GCHandleType.Weak));
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Forget(GCHandleType type) => _weak.Add(GCHandle.Alloc(new ByWeak(), type));

    public IEnumerable<(Type, long)> Expected()
    {
        long count = _elsewhere.Count;
        return [(typeof(ByNormal), count), (typeof(ByPinned[]), count), (typeof(ByWeak), 0), (typeof(HeldElsewhere), count)];
    }

    public bool Sound() => _holding.TrueForAll(handle => handle.Target is ByNormal or ByPinned[]);

    public void Drop()
    {
        _holding.ForEach(handle => handle.Free());
        _weak.ForEach(handle => handle.Free());
        _holding.Clear();
        _weak.Clear();
        _elsewhere.Clear();
    }

    private sealed class ByNormal;

    private readonly struct ByPinned
    {
        private readonly int _number;

        public ByPinned(int number) => _number = number;

        public override string ToString() => _number.ToString();
    }

    private sealed class ByWeak;

    private sealed class HeldElsewhere;
}
