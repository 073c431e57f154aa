using System.Collections.Concurrent;
using System.Globalization;

namespace Shop;

/// <summary>How results of a rule are written, by the rule's type. A type as a key keeps its whole load context.</summary>
internal static class Formatters
{
    private static readonly ConcurrentDictionary<Type, Func<object, string>> ByType = new();

    public static Func<object, string> For(Type type)
    {
        return ByType.GetOrAdd(type, _ => value => string.Format(CultureInfo.InvariantCulture, "{0:F2}", value));
    }
}
