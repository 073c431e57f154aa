using System.Runtime.CompilerServices;

namespace HeapMaker.Kinds;

/// <summary>
/// Garbage that the finalizer queue holds: the finalizer thread is busy with an object that waits, so the others stay queued.
/// Beside them living objects whose finalizers are merely registered.
/// </summary>
internal sealed class Finalizables : IKind
{
    private readonly List<Registered> _living = [];
    private readonly ManualResetEventSlim _go = new();
    private int _queued;

    /// <summary>Whoever waits for finalizers now waits for ever.</summary>
    public static bool HeldBack { get; private set; }

    public string Name => "finalizables";

    public void Make(int count)
    {
        if (!HeldBack)
        {
            HoldBack();
        }
        Forget(count);
        for (int i = 0; i < count; i++)
        {
            _living.Add(new Registered());
        }
        GC.Collect();
        _queued += count;
    }

    private void HoldBack()
    {
        using var reached = new ManualResetEventSlim();
        _go.Reset();
        ForgetBlocker(reached);
        GC.Collect();
        if (!reached.Wait(TimeSpan.FromSeconds(30)))
        {
            throw new InvalidOperationException("the finalizer thread never came");
        }
        HeldBack = true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void ForgetBlocker(ManualResetEventSlim reached) => _ = new Blocker(reached, _go);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Forget(int count)
    {
        for (int i = 0; i < count; i++)
        {
            _ = new Queued(new HeldByQueued());
        }
    }

    public IEnumerable<(Type, long)> Expected()
    {
        return [(typeof(Queued), _queued), (typeof(HeldByQueued), _queued), (typeof(Registered), _living.Count)];
    }

    public bool Sound() => true;

    public void Drop()
    {
        _go.Set();
        HeldBack = false;
        _living.Clear();
        _queued = 0;
    }

    private sealed class Blocker(ManualResetEventSlim reached, ManualResetEventSlim go)
    {
        ~Blocker()
        {
            reached.Set();
            go.Wait();
        }
    }

    private sealed class Queued(HeldByQueued held)
    {
        private HeldByQueued? _held = held;

        ~Queued() => _held = null;
    }

    private sealed class HeldByQueued;

    private sealed class Registered
    {
        ~Registered() => GC.KeepAlive(this);
    }
}
