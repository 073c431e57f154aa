using System.Text;

namespace Inspector;

/// <summary>
/// A picture as bytes, for analysis/lab/debugger_heap. Little-endian, no padding:
///   "HFDBGHP1"
///   u32 types; of each: u32 length, UTF-8 of "name"
///   u32 objects; of each: u64 address, u32 type, u64 bytes, u8 reached, u32 references, u32 object numbers
///   u32 dependents; of each: u32 key, u32 value
/// </summary>
internal static class GraphFile
{
    public static void Write(HeapPicture picture, string path)
    {
        using var writer = new BinaryWriter(File.Create(path), Encoding.UTF8);
        var types = picture.Objects.Select(one => one.Type.Name).Distinct().ToList();
        var typeNumber = types.Select((name, i) => (name, i)).ToDictionary(pair => pair.name, pair => pair.i);
        var number = picture.Objects.Select((one, i) => (one, i)).ToDictionary(pair => pair.one, pair => pair.i);
        writer.Write("HFDBGHP1"u8);
        writer.Write(types.Count);
        foreach (byte[] name in types.Select(Encoding.UTF8.GetBytes))
        {
            writer.Write(name.Length);
            writer.Write(name);
        }
        writer.Write(picture.Objects.Count);
        foreach (HeapObject one in picture.Objects)
        {
            writer.Write(one.Address);
            writer.Write(typeNumber[one.Type.Name]);
            writer.Write(one.Bytes);
            writer.Write(one.Reached);
            writer.Write(one.References.Count);
            one.References.ForEach(referent => writer.Write(number[referent]));
        }
        writer.Write(picture.Dependents.Count);
        foreach (var (key, value) in picture.Dependents)
        {
            writer.Write(number[key]);
            writer.Write(number[value]);
        }
    }
}
