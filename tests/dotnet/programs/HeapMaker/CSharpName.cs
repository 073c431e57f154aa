namespace HeapMaker;

/// <summary>A class as a C# programmer writes it, by reflection: what a report of this process should call it.</summary>
internal static class CSharpName
{
    private static readonly Dictionary<Type, string> Keywords = new()
    {
        [typeof(bool)] = "bool", [typeof(byte)] = "byte", [typeof(sbyte)] = "sbyte", [typeof(char)] = "char",
        [typeof(short)] = "short", [typeof(ushort)] = "ushort", [typeof(int)] = "int", [typeof(uint)] = "uint",
        [typeof(long)] = "long", [typeof(ulong)] = "ulong", [typeof(float)] = "float", [typeof(double)] = "double",
        [typeof(decimal)] = "decimal", [typeof(string)] = "string", [typeof(object)] = "object",
        [typeof(nint)] = "nint", [typeof(nuint)] = "nuint",
    };

    public static string Of(Type type)
    {
        if (type.IsArray)
        {
            return OfArray(type);
        }
        if (type.IsPointer)
        {
            return Of(type.GetElementType()!) + "*";
        }
        if (Keywords.TryGetValue(type, out string? keyword))
        {
            return keyword;
        }
        if (Nullable.GetUnderlyingType(type) is { } underlying)
        {
            return Of(underlying) + "?";
        }
        return IsTuple(type) ? OfTuple(type) : OfNested(type);
    }

    /// <summary>The outermost rank stands first: Cell[][,] is an array of two-dimensional arrays.</summary>
    private static string OfArray(Type type)
    {
        string ranks = "";
        for (; type.IsArray; type = type.GetElementType()!)
        {
            ranks += "[" + new string(',', type.GetArrayRank() - 1) + "]";
        }
        return Of(type) + ranks;
    }

    private static bool IsTuple(Type type)
    {
        return type.IsGenericType && type.FullName!.StartsWith("System.ValueTuple`", StringComparison.Ordinal)
               && type.GenericTypeArguments.Length is > 1 and < 8;
    }

    private static string OfTuple(Type type)
    {
        return "(" + string.Join(", ", type.GenericTypeArguments.Select(Of)) + ")";
    }

    /// <summary>Arguments of generics stand flat, outermost first; each level takes as many as its name says.</summary>
    private static string OfNested(Type type)
    {
        var levels = new Stack<Type>();
        for (Type? level = type; level != null; level = level.DeclaringType)
        {
            levels.Push(level);
        }
        var arguments = new Queue<Type>(type.GenericTypeArguments);
        string space = string.IsNullOrEmpty(type.Namespace) ? "" : type.Namespace + ".";
        return space + string.Join('.', levels.Select(level => OfLevel(level.Name, arguments)));
    }

    private static string OfLevel(string name, Queue<Type> arguments)
    {
        int tick = name.LastIndexOf('`');
        if (tick < 0)
        {
            return name;
        }
        int arity = int.Parse(name[(tick + 1)..]);
        return name[..tick] + "<" + string.Join(", ", Enumerable.Range(0, arity).Select(_ => Of(arguments.Dequeue()))) + ">";
    }
}
