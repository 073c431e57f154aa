namespace Plugin;

/// <summary>What HeapMaker makes in a collectible load context of its own. A static field holds them all.</summary>
public sealed class Widget
{
    private static readonly List<Widget> All = [];

    private readonly Gadget _gadget;

    private Widget(int number) => _gadget = new Gadget(number, this);

    /// <summary>Called by reflection: the caller knows nothing of these types.</summary>
    public static int Make(int count)
    {
        for (int i = 0; i < count; i++)
        {
            All.Add(new Widget(i));
        }
        return All.Count;
    }

    public static bool Sound()
    {
        return All.Select((widget, i) => widget._gadget.Number == i && widget._gadget.Owner == widget).All(sound => sound);
    }
}

/// <summary>One for each Widget; they refer to each other.</summary>
public sealed class Gadget(int number, Widget owner)
{
    public int Number { get; } = number;

    public Widget Owner { get; } = owner;
}
