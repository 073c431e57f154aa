using System.Text;
using Microsoft.Diagnostics.Runtime;

namespace Inspector;

/// <summary>What ClrMD calls a class, as a C# programmer writes it: keywords, '.' for nesting, T?, (T1, T2), outermost rank first.</summary>
internal sealed class CSharpName
{
    private static readonly Dictionary<string, string> Keywords = new()
    {
        ["System.Boolean"] = "bool", ["System.Byte"] = "byte", ["System.SByte"] = "sbyte", ["System.Char"] = "char",
        ["System.Int16"] = "short", ["System.UInt16"] = "ushort", ["System.Int32"] = "int", ["System.UInt32"] = "uint",
        ["System.Int64"] = "long", ["System.UInt64"] = "ulong", ["System.Single"] = "float", ["System.Double"] = "double",
        ["System.Decimal"] = "decimal", ["System.String"] = "string", ["System.Object"] = "object",
        ["System.IntPtr"] = "nint", ["System.UIntPtr"] = "nuint", ["System.Void"] = "void",
    };

    private readonly string _text;
    private int _at;

    private CSharpName(string text) => _text = text;

    public static string Of(ClrType type) => Of(type.Name ?? "?");

    public static string Of(string theirs) => new CSharpName(theirs).Type();

    private bool Ended => _at == _text.Length;

    private char Next => Ended ? '\0' : _text[_at];

    private bool Take(char expected)
    {
        if (Next != expected)
        {
            return false;
        }
        _at++;
        return true;
    }

    /// <summary>A named class, then what makes arrays and pointers of it; theirs has the innermost rank first.</summary>
    private string Type()
    {
        string name = Named();
        string ranks = "";
        while (Next is '[' or '*')
        {
            int begin = _at;
            _at = Next == '*' ? _at + 1 : _text.IndexOf(']', _at) + 1;
            string suffix = _text[begin.._at];
            if (suffix == "*")
            {
                name += ranks + suffix;
                ranks = "";
            }
            else
            {
                ranks = suffix + ranks;
            }
        }
        return name + ranks;
    }

    private string Named()
    {
        var name = new StringBuilder();
        List<string> arguments = [];
        do
        {
            name.Append(name.Length == 0 ? "" : ".").Append(Level());
            if (Next == '<')
            {
                arguments = Arguments();
                if (Special(name.ToString(), arguments) is { } special)
                {
                    return special;
                }
                name.Append('<').AppendJoin(", ", arguments).Append('>');
            }
        }
        while (Take('+'));
        return Keywords.GetValueOrDefault(name.ToString(), name.ToString());
    }

    /// <summary>Up to what ends a level. Brackets at its beginning or after a dot are the compiler's: &lt;Main&gt;d__5, &lt;&gt;c.</summary>
    private string Level()
    {
        int begin = _at;
        SkipCompilerBrackets();
        while (!Ended && Next is not ('+' or '<' or '>' or ',' or '[' or '*'))
        {
            bool dot = Next == '.';
            _at++;
            if (dot)
            {
                SkipCompilerBrackets();
            }
        }
        return _text[begin.._at];
    }

    private void SkipCompilerBrackets()
    {
        for (int depth = 0; Next == '<' || depth > 0; _at++)
        {
            depth += Next == '<' ? 1 : Next == '>' ? -1 : 0;
            if (depth == 0)
            {
                _at++;
                return;
            }
        }
    }

    private List<string> Arguments()
    {
        var arguments = new List<string>();
        for (_at++; !Ended && !Take('>'); Take(','))
        {
            while (Take(' '))
            {
            }
            arguments.Add(Type());
        }
        return arguments;
    }

    private static string? Special(string name, List<string> arguments)
    {
        return name switch
        {
            "System.Nullable" when arguments.Count == 1 => arguments[0] + "?",
            "System.ValueTuple" when arguments.Count is > 1 and < 8 => "(" + string.Join(", ", arguments) + ")",
            _ => null,
        };
    }
}
