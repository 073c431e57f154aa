namespace HeapMaker.Kinds;

/// <summary>One way in which objects can be there. A kind alone makes instances of its classes, so its numbers are exact.</summary>
internal interface IKind
{
    string Name { get; }

    void Make(int count);

    /// <summary>How many instances of each class a quiet process has of this kind.</summary>
    IEnumerable<(Type Type, long Count)> Expected();

    bool Sound();

    void Drop();
}
