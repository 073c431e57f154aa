namespace HeapLoad;

/// <summary>Blocks of 50 objects: a table of entries in a ring, each with some bytes; every block knows one before it.</summary>
internal sealed class Heap
{
    public const int EntriesPerBlock = 24;

    private const int ObjectsPerBlock = 2 + 2 * EntriesPerBlock;  // the block, its table, entries and their bytes
    private const int ReferencesPerBlock = 2 + 3 * EntriesPerBlock;  // two fields; in the table, and two fields of each entry

    private readonly Block[] _blocks;

    public Heap(long objects, int seed)
    {
        var random = new Random(seed);
        _blocks = new Block[objects / ObjectsPerBlock];
        for (int i = 0; i < _blocks.Length; i++)
        {
            _blocks[i] = new Block(Ring(random), i == 0 ? null : _blocks[random.Next(i)]);
        }
        Objects = 1 + (long)_blocks.Length * ObjectsPerBlock;
        References = _blocks.Length + (long)_blocks.Length * ReferencesPerBlock - 1;
    }

    public long Objects { get; }

    public long References { get; }

    private static Entry[] Ring(Random random)
    {
        var ring = new Entry[EntriesPerBlock];
        for (int i = 0; i < ring.Length; i++)
        {
            ring[i] = new Entry(new byte[random.Next(1, 32)], i);
        }
        for (int i = 0; i < ring.Length; i++)
        {
            ring[i].Next = ring[(i + 1) % ring.Length];
        }
        return ring;
    }

    public Entry EntryAt(Random random) => _blocks[random.Next(_blocks.Length)].Table[random.Next(EntriesPerBlock)];

    internal sealed class Entry(byte[] bytes, int value)
    {
        public Entry? Next;
        public byte[] Bytes = bytes;
        public int Value = value;
    }

    private sealed class Block(Entry[] table, Block? partner)
    {
        public Entry[] Table { get; } = table;

        public Block? Partner { get; } = partner;
    }
}
