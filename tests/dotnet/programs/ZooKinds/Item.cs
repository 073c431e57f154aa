namespace ZooKinds;

/// <summary>What leaks.</summary>
internal sealed class Item
{
    public readonly byte[] Body = new byte[2_000];
}
