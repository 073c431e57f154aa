using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;

namespace Holdfast;

/// <summary>
/// Whose work is done: a user, an application, a request, a session. Reports tell allocations apart by it (accounts-by=user+request) or are about some
/// of it alone (sample-only=user:alice).
/// <code>
/// using (Annotations.User("alice"))
/// using (Annotations.Request("/cart"))
///     await Handle();
/// </code>
/// What is said goes along with the work across threads, as an AsyncLocal does, until the scope is disposed of. Texts are cut to 100 bytes. Where no
/// agent is loaded nothing happens; one that is attached later hears what is said from then on, ten seconds later at the latest.
/// </summary>
public static class Annotations
{
    const int MostCharacters = 200;
    const long RetryMs = 10_000;

    sealed class Said
    {
        internal static readonly Said Nothing = new(["", "", "", ""]);
        readonly string[] _texts;
        internal readonly byte[] Block;

        Said(string[] texts)
        {
            _texts = texts;
            Block = Encoding.UTF8.GetBytes(string.Join('\0', texts) + '\0');
        }

        internal Said With(int kind, string? text)
        {
            var plain = (text ?? "").Replace('\0', '?');
            var texts = (string[])_texts.Clone();
            texts[kind] = plain.Length > MostCharacters ? plain[..MostCharacters] : plain;
            return new Said(texts);
        }
    }

    sealed class Scope(Said before) : IDisposable
    {
        public void Dispose() => Current.Value = before;
    }

    static readonly AsyncLocal<Said?> Current = new(change => Tell(change.CurrentValue ?? Said.Nothing));
    static unsafe delegate* unmanaged<byte*, int, void> _annotate;
    static long _absentUntil;

    public static IDisposable User(string? text) => Open(0, text);

    public static IDisposable Application(string? text) => Open(1, text);

    public static IDisposable Request(string? text) => Open(2, text);

    public static IDisposable Session(string? text) => Open(3, text);

    /// <summary>Nothing is said any more.</summary>
    public static void Clear() => Current.Value = Said.Nothing;

    static IDisposable Open(int kind, string? text)
    {
        var before = Current.Value ?? Said.Nothing;
        Current.Value = before.With(kind, text);
        return new Scope(before);
    }

    static unsafe void Tell(Said said)
    {
        if (_annotate == null && !Find())
            return;
        fixed (byte* block = said.Block)
            _annotate(block, said.Block.Length);
    }

    // The agent is in the process already, from wherever it was loaded.
    static unsafe bool Find()
    {
        if (Environment.TickCount64 < Volatile.Read(ref _absentUntil))
            return false;
        if (Loaded() is { } path && NativeLibrary.TryLoad(path, out var library) &&
            NativeLibrary.TryGetExport(library, "holdfast_annotate", out var found))
        {
            _annotate = (delegate* unmanaged<byte*, int, void>)found;
            return true;
        }
        Volatile.Write(ref _absentUntil, Environment.TickCount64 + RetryMs);
        return false;
    }

    static string? Loaded()
    {
        try
        {
            foreach (var line in File.ReadLines("/proc/self/maps"))
                if (line.EndsWith("/libholdfast.so", StringComparison.Ordinal))
                    return line[line.IndexOf('/')..];
        }
        catch (IOException)
        {
        }
        return null;
    }
}
