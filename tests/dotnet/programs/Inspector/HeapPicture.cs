using Microsoft.Diagnostics.Runtime;

namespace Inspector;

internal sealed record HeapType(string Name, string Module);

internal sealed record HeapObject(ulong Address, HeapType Type, ulong Bytes)
{
    /// <summary>Repeated as often as the object refers to it; the loader allocator of a collectible class comes first.</summary>
    public List<HeapObject> References { get; } = [];

    public bool Reached { get; set; }

    public bool Equals(HeapObject? other) => ReferenceEquals(this, other);

    public override int GetHashCode() => Address.GetHashCode();
}

internal readonly record struct HeapRoot(string Kind, HeapObject Held);

/// <summary>All objects of a stopped process by a walk over the heap's memory, garbage included; edges, roots, what these reach.</summary>
internal sealed class HeapPicture
{
    private const ulong SmallestBytes = 24;

    private readonly ClrRuntime _runtime;
    private readonly Dictionary<ulong, HeapObject> _byAddress = [];
    private readonly Dictionary<ulong, HeapType> _types = [];

    public HeapPicture(ClrRuntime runtime)
    {
        _runtime = runtime;
        foreach (ClrObject found in runtime.Heap.EnumerateObjects().Where(one => one.IsValid && !one.IsFree))
        {
            _byAddress[found.Address] = new HeapObject(found.Address, TypeOf(found.Type!), InMemory(found.Size));
        }
        Objects = [.. _byAddress.Values.OrderBy(one => one.Address)];
        ReadReferences();
        ReadDependents();
        ReadRoots();
        Reach();
    }

    public List<HeapObject> Objects { get; }

    public List<HeapRoot> Roots { get; } = [];

    /// <summary>What a dependent handle's key keeps alive, beside its fields.</summary>
    public List<(HeapObject Key, HeapObject Value)> Dependents { get; } = [];

    /// <summary>The library leaves out what an object is filled up with.</summary>
    private static ulong InMemory(ulong bytes) => Math.Max(SmallestBytes, (bytes + 7) & ~7ul);

    private HeapType TypeOf(ClrType type)
    {
        if (!_types.TryGetValue(type.MethodTable, out HeapType? known))
        {
            known = new HeapType(CSharpName.Of(type), Path.GetFileNameWithoutExtension(type.Module?.Name ?? ""));
            _types[type.MethodTable] = known;
        }
        return known;
    }

    private void ReadReferences()
    {
        foreach (HeapObject one in Objects)
        {
            ClrObject found = _runtime.Heap.GetObject(one.Address);
            if (found.Type is { IsCollectible: true } type && At(LoaderAllocator(type)) is { } allocator)
            {
                one.References.Add(allocator);
            }
            foreach (ulong address in found.EnumerateReferenceAddresses(carefully: false, considerDependantHandles: false))
            {
                if (At(address) is { } referent)
                {
                    one.References.Add(referent);
                }
            }
        }
    }

    /// <summary>Every object of such a class keeps it alive, though no field says so.</summary>
    private ulong LoaderAllocator(ClrType type)
    {
        ulong handle = type.LoaderAllocatorHandle;
        return handle == 0 ? 0 : _runtime.DataTarget.DataReader.ReadPointer(handle);
    }

    private void ReadDependents()
    {
        foreach (ClrHandle handle in _runtime.EnumerateHandles().Where(one => one.HandleKind == ClrHandleKind.Dependent))
        {
            if (At(handle.Object) is { } key && At(handle.Dependent) is { } value)
            {
                Dependents.Add((key, value));
            }
        }
    }

    private void ReadRoots()
    {
        foreach (ClrRoot root in _runtime.Heap.EnumerateRoots())
        {
            AddRoot(root.RootKind.ToString(), root.Object);
        }
        foreach (ClrThread thread in _runtime.Threads.Where(one => one.IsAlive))
        {
            foreach (ClrThreadStaticField field in ThreadStatics())
            {
                AddRoot("ThreadStatic", field.ReadObject(thread).Address);
            }
        }
    }

    private IEnumerable<ClrThreadStaticField> ThreadStatics()
    {
        return _types.Keys.Select(_runtime.GetTypeByMethodTable).OfType<ClrType>()
            .SelectMany(type => type.ThreadStaticFields).Where(field => field.IsObjectReference);
    }

    private void AddRoot(string kind, ulong address)
    {
        if (At(address) is { } held)
        {
            Roots.Add(new HeapRoot(kind, held));
        }
    }

    private HeapObject? At(ulong address) => _byAddress.GetValueOrDefault(address);

    private void Reach()
    {
        ILookup<HeapObject, HeapObject> dependents = Dependents.ToLookup(pair => pair.Key, pair => pair.Value);
        var pending = new Stack<HeapObject>(Roots.Select(root => root.Held));
        while (pending.TryPop(out HeapObject? one))
        {
            if (one.Reached)
            {
                continue;
            }
            one.Reached = true;
            foreach (HeapObject referent in one.References.Concat(dependents[one]).Where(other => !other.Reached))
            {
                pending.Push(referent);
            }
        }
    }
}
