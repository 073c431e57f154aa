namespace HeapMaker.Kinds;

/// <summary>Static fields: references, a struct with a reference, an event, and what each thread has of its own.</summary>
internal sealed class Statics : IKind
{
    private static readonly List<Held> HeldByStaticList = [];
    private static Held? heldByStaticField;
    private static (int Number, Held? Inside) heldByStaticStruct;

    [ThreadStatic]
    private static Held[]? heldByThreadStatic;

    private static event Action<Held>? Announced;

    public string Name => "statics";

    public void Make(int count)
    {
        heldByStaticField = new Held(null);
        heldByStaticStruct = (1, new Held(null));
        heldByThreadStatic = [new Held(null)];
        for (int i = 0; i < count; i++)
        {
            HeldByStaticList.Add(new Held(null));
            Announced += new Listener().Hear;
        }
    }

    public IEnumerable<(Type, long)> Expected()
    {
        long single = heldByStaticField == null ? 0 : 3;
        long listeners = Announced?.GetInvocationList().Length ?? 0;
        return [(typeof(Held), HeldByStaticList.Count + single), (typeof(Listener), listeners)];
    }

    public bool Sound()
    {
        Announced?.Invoke(heldByStaticStruct.Inside!);
        return heldByStaticField == null || heldByThreadStatic?.Length == 1;
    }

    public void Drop()
    {
        HeldByStaticList.Clear();
        heldByStaticField = null;
        heldByStaticStruct = default;
        heldByThreadStatic = null;
        Announced = null;
    }

    private sealed class Held(object? other)
    {
        public object? Other { get; set; } = other;
    }

    private sealed class Listener
    {
        private int _heard;

        public void Hear(Held held) => _heard += held.Other == null ? 1 : 0;
    }
}
