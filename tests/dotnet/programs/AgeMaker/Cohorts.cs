using System.Runtime.CompilerServices;

namespace AgeMaker;

/// <summary>Objects of one class, all made between the same two collections, which the runtime itself counts.</summary>
internal sealed class Cohort
{
    private readonly Func<object> _make;
    private object?[] _all = [];

    public Cohort(Func<object> make) => _make = make;

    public string ClassName => _all.First(one => one is not null)!.GetType().FullName!;
    public int Born { get; private set; }
    public bool Met { get; private set; }
    public int Count => _all.Count(one => one is not null);

    /// <summary>Once more where a collection came in between: it would have parted them. Those of the first time go before, or dumps would count them.</summary>
    public void Make(int count)
    {
        while (!MakeAtOnce(count))
        {
            _all = [];
            GC.Collect();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool MakeAtOnce(int count)
    {
        Born = GC.CollectionCount(0);
        _all = new object?[count];
        for (int i = 0; i < count; i++)
        {
            _all[i] = _make();
        }
        return GC.CollectionCount(0) == Born;
    }

    /// <summary>The collection that was the last one is the first that has looked at them.</summary>
    public void MeetCollection()
    {
        Born = GC.CollectionCount(0) - 1;
        Met = true;
    }

    public void DropEveryOther()
    {
        for (int i = 0; i < _all.Length; i += 2)
        {
            _all[i] = null;
        }
    }
}

internal abstract class Small
{
    public object? One { get; set; }
    public object? Other { get; set; }
}

internal sealed class C0 : Small;
internal sealed class C1 : Small;
internal sealed class C2 : Small;
internal sealed class C3 : Small;
internal sealed class C4 : Small;
internal sealed class C5 : Small;
internal sealed class C6 : Small;
internal sealed class C7 : Small;
internal sealed class C8 : Small;
internal sealed class C9 : Small;

/// <summary>An element of arrays that are large objects.</summary>
internal readonly record struct Part(long A, long B, long C, long D);
